// Entries and settings, kept in the browser's storage.
const KEY = 'pennywise';

const SAMPLES = [
  { id: 1, what: 'Groceries', amount: 42.6, day: '2026-03-02', category: 'Food' },
  { id: 2, what: 'Rent share', amount: 180, day: '2026-03-01', category: 'Home' },
  { id: 3, what: 'Train to Ghent', amount: 27.4, day: '2026-03-08', category: 'Travel' },
];

export class Store {
  constructor() {
    const kept = localStorage.getItem(KEY);
    const { entries, budget, warn } = kept ? JSON.parse(kept) : { entries: SAMPLES, budget: 400, warn: true };
    this.entries = entries;
    this.budget = budget;
    this.warn = warn;
    this.removed = null;
  }

  add(entry) {
    const id = 1 + Math.max(0, ...this.entries.map((each) => each.id));
    this.entries.push({ id, ...entry });
    this.save();
  }

  change(id, changes) {
    Object.assign(this.entries.find((entry) => entry.id === id), changes);
    this.save();
  }

  remove(id) {
    this.removed = this.entries.find((entry) => entry.id === id);
    this.entries = this.entries.filter((entry) => entry.id !== id);
    this.save();
  }

  undo() {
    if (!this.removed) {
      return false;
    }
    this.entries.push(this.removed);
    this.removed = null;
    this.save();
    return true;
  }

  wipe() {
    this.entries = [];
    this.save();
  }

  save() {
    localStorage.setItem(KEY, JSON.stringify({ entries: this.entries, budget: this.budget, warn: this.warn }));
  }

  total(entries = this.entries) {
    return entries.reduce((sum, entry) => sum + entry.amount, 0);
  }

  byCategory() {
    const sums = new Map();
    for (const { category, amount } of this.entries) {
      sums.set(category, (sums.get(category) ?? 0) + amount);
    }
    return [...sums].sort((a, b) => b[1] - a[1]);
  }

  byMonth() {
    const months = {};
    for (const entry of this.entries) {
      const month = entry.day.slice(0, 7);
      (months[month] ??= []).push(entry);
    }
    return months;
  }
}
