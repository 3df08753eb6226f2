// A store of records that is filtered, mapped, grouped and updated, as an app's state is.
class Account {
  constructor(id, kind) {
    this.id = id;
    this.kind = kind;
    this.balance = 0;
    this.history = [];
  }

  apply(change) {
    if (change.type === 'deposit') this.balance += change.amount;
    else if (change.type === 'withdraw' && this.balance >= change.amount) this.balance -= change.amount;
    else return false;
    this.history.push(change);
    return true;
  }
}

function run() {
  let total = 0;
  for (let round = 0; round < 60; round++) {
    const accounts = [];
    for (let i = 0; i < 1000; i++) accounts.push(new Account(i, i % 3 ? 'private' : 'company'));
    for (let i = 0; i < 20000; i++) {
      const account = accounts[(i * 31) % accounts.length];
      account.apply({ type: i % 4 ? 'deposit' : 'withdraw', amount: (i % 50) + 1 });
    }
    total += summary(accounts);
  }
  return total;
}

function summary(accounts) {
  const groups = new Map();
  for (const account of accounts.filter((one) => one.balance > 10)) {
    const group = groups.get(account.kind) ?? { count: 0, sum: 0 };
    groups.set(account.kind, { ...group, count: group.count + 1, sum: group.sum + account.balance });
  }
  return [...groups.values()].map(({ count, sum }) => sum - count).reduce((a, b) => a + b, 0);
}
