// What is wrong with an entry, in words; null when nothing is.
export function problemWith({ what, amount, day }) {
  if (!what.trim()) {
    return 'Say what you bought.';
  }
  if (Number.isNaN(amount)) {
    return 'The amount is not a number.';
  }
  if (amount <= 0) {
    return 'The amount must be more than nothing.';
  }
  if (amount > 10000) {
    return 'That much? Amounts end at 10,000.';
  }
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) {
    return 'Choose a day.';
  }
  return null;
}

export function warningFor(total, budget) {
  const share = total / budget;
  if (share >= 1) {
    return 'You are over your budget.';
  }
  return share >= 0.8 ? `You have used ${Math.round(share * 100)} % of your budget.` : null;
}
