/** Counts the comparisons of a differential run, the kinds it met, and the unexplained differences. */

/** Differences that are printed one by one. */
const TOLD = 20;

export class Tally {
  /** Compared and equal, by subject. */
  compared = {};
  /** Departures by rule. */
  departures = {};
  /** The kinds of orders and books among the compared ones. */
  kinds = {};
  unexplained = 0;
  told = [];

  /** Compares one value: slotbook's and the SDK's. */
  equal(subject, own, theirs, where) {
    this.#count(subject, { compared: 1, equal: own === theirs ? 1 : 0 });
    if (own === theirs) return;
    this.unexplained += 1;
    if (this.told.length < TOLD) {
      this.told.push(`${subject}: ${where}: slotbook ${own}, SDK ${theirs}`);
    }
  }

  departed(rule) {
    this.departures[rule] = (this.departures[rule] ?? 0) + 1;
  }

  saw(kind) {
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
  }

  /** Takes in another tally. */
  add(other) {
    for (const [subject, counts] of Object.entries(other.compared)) this.#count(subject, counts);
    for (const field of ['departures', 'kinds']) {
      for (const [name, count] of Object.entries(other[field])) {
        this[field][name] = (this[field][name] ?? 0) + count;
      }
    }
    this.unexplained += other.unexplained;
    this.told.push(...other.told.slice(0, TOLD - this.told.length));
  }

  #count(subject, { compared, equal }) {
    const before = this.compared[subject] ?? { compared: 0, equal: 0 };
    this.compared[subject] = {
      compared: before.compared + compared,
      equal: before.equal + equal,
    };
  }

  /** The whole count, as lines for people. */
  lines() {
    const list = (counts) => Object.entries(counts).sort(([, a], [, b]) => b - a);
    return [
      ...Object.entries(this.compared).map(
        ([subject, { compared, equal }]) => `${subject}: ${compared} compared, ${equal} equal`,
      ),
      ...list(this.departures).map(([rule, count]) => `departed by rule, ${rule}: ${count}`),
      ...list(this.kinds).map(([kind, count]) => `met, ${kind}: ${count}`),
      `unexplained: ${this.unexplained}`,
      ...this.told,
    ];
  }
}
