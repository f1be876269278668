import type { Dialect } from '../files/dialect.ts';
import type { LibraryMap } from '../files/library-map.ts';
import type { HostFileName } from '../files/tables.ts';
import type { HostColumn, HostJob } from '../host.ts';

/** The answer to one question, or why the host gave none. */
export type Reading<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: string };

/** The description of a host by itself. `undefined`: this kind of database has no such thing. */
export interface HostFacts {
  readonly dialect: Dialect;
  readonly library: string;
  readonly map: LibraryMap;
  readonly job: Reading<HostJob>;
  /** The columns of each file; undefined for a file that the library lacks. */
  readonly files: Reading<ReadonlyMap<HostFileName, readonly HostColumn[] | undefined>>;
  readonly triggers: Reading<readonly TriggerFact[]>;
  /** Files without a journal. */
  readonly unjournaled: Reading<readonly string[]> | undefined;
  /** How the host stores and returns `sampleText`. */
  readonly sample: Reading<SampleFact> | undefined;
  readonly session: Reading<SessionFact> | undefined;
  /** Whether the host takes an empty text for null. */
  readonly emptyIsNull: Reading<boolean>;
  /** The largest page of the table spaces for sorting, in bytes. */
  readonly sortPage: Reading<number> | undefined;
  /** The host's clock minus the service's, in seconds. */
  readonly clockAheadS: Reading<number>;
  /** Of each facility. */
  readonly zones: Reading<readonly { readonly facility: string; readonly zone: string }[]>;
  /** The rows of PODCTLP. */
  readonly switches: Reading<readonly { readonly hold: string }[]>;
  readonly authorities: Reading<readonly AuthorityFact[]> | undefined;
  /** Whether the service may keep the comparison in its own library (SHADOW_LIBRARY): the library's name. */
  readonly comparison: Reading<string> | undefined;
}

export interface TriggerFact {
  readonly file: string;
  readonly name: string;
  /** Enabled, and not inoperative. */
  readonly usable: boolean;
}

export interface SampleFact {
  /** Its bytes on the host, in hexadecimal. */
  readonly hex: string;
  readonly text: string;
}

export interface SessionFact {
  /** Seconds until a wait for a lock ends; −1 without a limit. */
  readonly lockWaitS: number | undefined;
  /** Blank or `CS`: reads see committed rows. */
  readonly isolation: string;
}

export type Act = 'read' | 'insert' | 'update' | 'delete';

/** Whether the service's user may do this, as a statement that touches no row has shown. */
export interface AuthorityFact {
  readonly file: HostFileName;
  readonly act: Act;
  /** The service does it itself; false: it has no business with it. */
  readonly needed: boolean;
  /** Undefined: the host did not answer, such as for a lock. */
  readonly allowed: boolean | undefined;
  /** Why the host did not answer. */
  readonly why?: string | undefined;
}
