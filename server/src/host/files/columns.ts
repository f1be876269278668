// The elements of a host file. DDL, statements, checks before a write, the printed layout and the TypeScript type of a
// row are all derived from these values.

export type CharColumn = {
  readonly kind: 'char';
  readonly length: number;
  readonly text: string;
  /** Every value that it can have, where these are codes: blank and some letters. */
  readonly values?: readonly string[];
};
export type DecimalColumn = {
  readonly kind: 'decimal';
  readonly precision: number;
  readonly scale: number;
  readonly text: string;
};
export type TimestampColumn = { readonly kind: 'timestamp'; readonly text: string };
export type BinaryColumn = { readonly kind: 'binary'; readonly length: number; readonly text: string };
export type IdentityColumn = { readonly kind: 'identity'; readonly text: string };
export type ChangedAtColumn = { readonly kind: 'changedAt'; readonly text: string };
export type ChangeNumberColumn = { readonly kind: 'changeNumber'; readonly text: string };
export type Column =
  CharColumn | DecimalColumn | TimestampColumn | BinaryColumn | IdentityColumn | ChangedAtColumn | ChangeNumberColumn;
export type Columns = { readonly [name: string]: Column };

/** CHAR(n) CCSID 37 NOT NULL DEFAULT ' '. */
export const char = (length: number, text: string): CharColumn => ({ kind: 'char', length, text });
/** CHAR(1) with a blank or one of these letters. */
export const coded = (text: string, letters: readonly string[]): CharColumn => ({
  ...char(1, text),
  values: ['', ...letters],
});
export const flag = (text: string): CharColumn => coded(text, ['Y', 'N']);
/** DECIMAL(p,s) NOT NULL DEFAULT 0. */
export const decimal = (precision: number, text: string, scale = 0): DecimalColumn => ({
  kind: 'decimal',
  precision,
  scale,
  text,
});
/** TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP. */
export const timestamp = (text: string): TimestampColumn => ({ kind: 'timestamp', text });
/** VARCHAR(n) FOR BIT DATA NOT NULL. */
export const binary = (length: number, text: string): BinaryColumn => ({ kind: 'binary', length, text });
/** A number that the host assigns on insert, never reused. */
export const identity = (text: string): IdentityColumn => ({ kind: 'identity', text });

/** When any program last changed the row, by the host's clock: the host assigns it. */
export const changedAt = (text: string): ChangedAtColumn => ({ kind: 'changedAt', text });
/** A number of the library's sequence that a trigger assigns with each change of the row; 0 before the first one. */
export const changeNumber = (text: string): ChangeNumberColumn => ({ kind: 'changeNumber', text });

/** Whether a change by other programs records its key in the doorbell (PODCHGP). */
export type Doorbell = 'rings' | 'silent';

export type HostFile<
  Key extends Columns = Columns,
  Host extends Columns = Columns,
  Service extends Columns = Columns,
> = {
  readonly name: string;
  /** Two letters before every column name, also in the audit tail. */
  readonly prefix: string;
  readonly text: string;
  readonly doorbell: Doorbell;
  readonly key: Key;
  /** Columns that belong to the back office. */
  readonly host: Host;
  /**
   * Columns that belong to the service. A row can have both kinds (RTSTPP: the plan's sequence and our status); then each
   * side updates its own columns only.
   */
  readonly service: Service;
  /** Columns that the host assigns with each change, for programs that read: no statement of the service names them. */
  readonly assigned: Columns;
  /** Access paths beside the key: the columns of each. */
  readonly paths: readonly (readonly string[])[];
};

type FileParts<Key extends Columns, Host extends Columns, Service extends Columns, AssignedName extends string> = {
  doorbell?: Doorbell;
  key: Key;
  host: Host;
  service: Service;
  assigned?: { readonly [Name in AssignedName]: Column };
  paths?: readonly (readonly ((keyof (Key & Host & Service) & string) | NoInfer<AssignedName>)[])[];
};

/** Declares a host file; by default its changes reach the doorbell. */
export function defineFile<
  Key extends Columns,
  Host extends Columns,
  Service extends Columns,
  AssignedName extends string = never,
>(
  name: string,
  prefix: string,
  text: string,
  parts: FileParts<Key, Host, Service, AssignedName>,
): HostFile<Key, Host, Service>;
export function defineFile(
  name: string,
  prefix: string,
  text: string,
  parts: FileParts<Columns, Columns, Columns, string>,
): HostFile {
  const { doorbell = 'rings', key, host, service, assigned = {}, paths = [] } = parts;
  return { name, prefix, text, doorbell, key, host, service, assigned, paths };
}

/** A decimal as text with exactly its column's scale, so that equal values are equal strings. */
export type DecimalText = `${number}`;

type ValueOf<C extends Column> = C extends BinaryColumn
  ? Buffer
  : C extends DecimalColumn | IdentityColumn
    ? DecimalText
    : string;
type ValuesOf<C extends Columns> = { -readonly [Name in keyof C]: ValueOf<C[Name]> };

export type KeyOf<F extends HostFile> = ValuesOf<F['key']>;
/** The key and the host's columns, which a dispatch program writes. */
export type HostPartOf<F extends HostFile> = ValuesOf<F['key'] & F['host']>;
/** The key and the service's columns, which the replication worker writes. */
export type ServicePartOf<F extends HostFile> = ValuesOf<F['key'] & F['service']>;
export type RecordOf<F extends HostFile> = ValuesOf<F['key'] & F['host'] & F['service']>;

/** A value of a driver's parameters and rows. */
export type HostValue = string | Buffer | null;

/** The columns of statements, in the file's order: key, the host's, the service's. */
export function columnsOf(file: HostFile): Columns {
  return { ...file.key, ...file.host, ...file.service };
}

/**
 * The audit tail of every file of this host: creator and last writer of a row, their programs, and the times
 * (host-local).
 */
export function auditTail(file: HostFile): Columns {
  const tail = (event: 'C' | 'U', verb: string): [string, Column][] => [
    [`${file.prefix}${event}USR`, char(10, `${verb} by user`)],
    [`${file.prefix}${event}PGM`, char(10, `${verb} by program`)],
    [`${file.prefix}${event}DAT`, decimal(8, `${verb} on, YYYYMMDD`)],
    [`${file.prefix}${event}TIM`, decimal(6, `${verb} at, HHMMSS`)],
  ];
  return Object.fromEntries([...tail('C', 'Created'), ...tail('U', 'Changed')]);
}

/** Every column of the file: those of statements, the audit tail, and those that the host assigns. */
export function allColumnsOf(file: HostFile): Columns {
  return { ...columnsOf(file), ...auditTail(file), ...file.assigned };
}

/** Of the audit tail: user and program of the last write. */
export function writerColumns({ prefix }: Pick<HostFile, 'prefix'>): [user: string, program: string] {
  return [`${prefix}UUSR`, `${prefix}UPGM`];
}
