/**
 * The files that this host does not journal (SQLCODE -7008), learned as it tells of them: Db2 for i refuses to write
 * them under commitment control, so each statement on one of them says `with nc`. What is written there stays, whatever
 * becomes of the transaction around it; a stop's write can be repeated, and its result row comes last.
 */
export class Unjournaled {
  readonly #files = new Set<string>();
  readonly #onLearned: (file: string) => void;

  constructor(onLearned: (file: string) => void = () => undefined) {
    this.#onLearned = onLearned;
  }

  suited(sql: string): string {
    const file = writtenFile(sql);
    return file !== undefined && this.#files.has(file) ? `${sql} with nc` : sql;
  }

  /** @returns false where that would not help: it is no write, or the file was known already */
  learn(sql: string): boolean {
    const file = writtenFile(sql);
    if (file === undefined || this.#files.has(file)) return false;
    this.#files.add(file);
    this.#onLearned(file);
    return true;
  }
}

function writtenFile(sql: string): string | undefined {
  return /^\s*(?:insert\s+into|update|delete\s+from|merge\s+into)\s+(?:\w+\.)?(\w+)/i.exec(sql)?.[1]?.toUpperCase();
}
