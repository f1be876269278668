/**
 * Files that this host does not journal (SQLCODE -7008), recorded at their first error. Db2 for i refuses to write them
 * under commitment control, so each statement on one of them ends in `with nc`. Such a write stays, even where its
 * transaction rolls back; a stop's write can be repeated, and its result row comes last.
 */
export class Unjournaled {
  readonly #files = new Set<string>();
  readonly #onLearned: (file: string) => void;

  constructor(onLearned: (file: string) => void = () => undefined) {
    this.#onLearned = onLearned;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  withoutCommitment(sql: string): string {
    const file = writtenFile(sql);
    return file !== undefined && this.#files.has(file) ? `${sql} with nc` : sql;
  }

  /** @returns false where that would not help: the statement is no write, or the file is recorded already */
  add(sql: string): boolean {
    const file = writtenFile(sql);
    if (file === undefined || this.#files.has(file)) return false;
    this.#files.add(file);
    this.#onLearned(file);
    return true;
  }
}

function writtenFile(sql: string): string | undefined {
  return /^\s*(?:insert\s+into|update|delete\s+from|merge\s+into)\s+(?:\w+\.)?"?([\w#@$]+)/i
    .exec(sql)?.[1]
    ?.toUpperCase();
}
