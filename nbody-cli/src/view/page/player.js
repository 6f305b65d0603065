// The place in time, as a number of snapshots from the first.

class Player {
  constructor() {
    this.last = frames.length - 1;
    this.at = 0;
    // A whole run takes about ten seconds.
    this.perSecond = [1, 2, 5, 10, 20, 40].find((speed) => speed * 10 >= this.last) ?? 40;
    this.isPlaying = false;
    this.isBetween = true;
    this.isRepeating = false;
  }

  seek(at) {
    this.at = clamp(at, 0, this.last);
  }

  // Goes to a snapshot before or after.
  step(count) {
    this.isPlaying = false;
    const from = count > 0 ? Math.floor(this.at) : Math.ceil(this.at);
    this.seek(from + count);
  }

  toggle() {
    this.isPlaying = this.last > 0 && !this.isPlaying;
    if (this.isPlaying && this.at >= this.last) this.at = 0;
  }

  advance(seconds) {
    if (!this.isPlaying) return;
    this.seek(this.at + seconds * this.perSecond);
    if (this.at < this.last) return;
    if (this.isRepeating) this.at = 0;
    else this.isPlaying = false;
  }

  // Returns two snapshots and the place between them.
  moment() {
    const here = Math.floor(this.at);
    if (!this.isBetween || !frames[here].is_joined) return { here, next: here, between: 0 };
    return { here, next: here + 1, between: this.at - here };
  }
}
