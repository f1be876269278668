import { isZone } from '../../runtime/zone-clock.ts';
import { ccsids, sampleOn, sampleText } from '../files/ccsid.ts';
import { additionsSince, layoutOf, layoutVersion } from '../files/layout.ts';
import type { LibraryMap } from '../files/library-map.ts';
import { hostFileNames, type HostFileName } from '../files/tables.ts';
import {
  doorbellEvents,
  numberedEvents,
  numberOf,
  numberTriggerName,
  ringingFiles,
  triggerName,
} from '../files/triggers.ts';
import type { HostColumn } from '../host.ts';
import { columnFaults } from './column-faults.ts';
import type { AuthorityFact, HostFacts, Reading } from './facts.ts';
import { attention, go, listOf, noGo, unknown, type Verdict } from './verdict.ts';

/** The settings that the checks depend on. */
export interface CheckSettings {
  readonly changes: 'doorbell' | 'polling';
  /** RETAIN_HOST_LOG_DAYS; unset: the service deletes no line of PODRPLP. */
  readonly hostLogDays?: number | undefined;
  /** Some facility is live (LEGACY_MODE). Otherwise the service only reads. */
  readonly live: boolean;
}

export interface Check {
  /** Stable, for programs. */
  readonly name: string;
  /** Undefined where this host has nothing to check. */
  judge(facts: HostFacts, settings: CheckSettings): Verdict | undefined;
}

/** Seconds by which the clocks may differ. */
const CLOCK = { fine: 5, usable: 60 };
/** A longer wait for a lock occupies a connection for longer than needed. */
const LONGEST_LOCK_WAIT_S = 10;
/** A row with a chunk of a file needs pages of this size where it is sorted. */
const SORT_PAGE = 32_768;

const script = 'print the script (npm run host -- ddl), and run what is missing';

/** In the order of their lines. Each judges the facts alone. */
export const checks: readonly Check[] = [
  {
    name: 'user',
    judge: ({ job, library, dialect }) =>
      judged(job, 'the job of the connection', ({ user }) => go(`${user} reaches ${library} (${dialect})`)),
  },
  {
    name: 'tables',
    judge: ({ files, library, map }) =>
      judged(files, 'the catalog', (found) => {
        const { isLater } = layoutIn(found, map);
        const absent = [...found].filter(([, columns]) => columns === undefined).map(([name]) => name);
        const missing = absent.filter((name) => !isLater(name)).map((name) => map.table(name));
        if (missing.length === 0) return go(`${library} has all ${found.size - absent.length} files`);
        return noGo(`${library} lacks ${listOf(missing)}, or hides it from this user`, script);
      }),
  },
  {
    name: 'columns',
    judge: ({ files, map }) =>
      judged(files, 'the catalog', (found) => {
        const { isLater } = layoutIn(found, map);
        const faults = presentFiles(found).flatMap(([name, columns]) =>
          columnFaults(name, columns, map, (column) => isLater(name, column)),
        );
        if (faults.length === 0) return go('every column has the kind and length that the service needs');
        return noGo(listOf(faults, 4), 'compare with docs/host-files.md, and alter the columns');
      }),
  },
  {
    name: 'layout',
    judge: ({ files, map }) =>
      judged(files, 'the catalog', (found) => {
        const { version } = layoutIn(found, map);
        if (version === layoutVersion) return go(`the library has layout ${version}`);
        return attention(
          `the library has layout ${version}, and this release ${layoutVersion}: the service goes on without what it lacks`,
          `run the additions (npm run host -- ddl --from ${version}; docs/adopting.md, Between two releases of the layout)`,
        );
      }),
  },
  {
    name: 'authorities',
    judge: ({ authorities }, settings) =>
      authorities &&
      judged(authorities, 'an authority', (found) => {
        const used = found.filter((fact) => isUsed(fact, settings));
        const lacking = used.filter(({ allowed }) => allowed === false);
        const refuse = (facts: readonly AuthorityFact[]): Verdict =>
          noGo(`the user may not ${listOf(facts.map(actOn))}`, 'run the grants at the end of the script for this user');
        const ofReads = (facts: readonly AuthorityFact[]) => facts.filter(({ act }) => act === 'read');
        // Reads come first: before a facility is live, nothing else is used.
        if (!settings.live) {
          const refused = ofReads(lacking);
          if (refused.length > 0) return refuse(refused);
          const open = leftOpen(ofReads(used));
          if (open) return open;
        }
        if (lacking.length > 0) return beforeLive(refuse(lacking), settings);
        return leftOpen(used) ?? go('the user may do everything that the service does');
      }),
  },
  {
    name: 'least-authority',
    judge: ({ authorities }) =>
      authorities &&
      judged(authorities, 'an authority', (found) => {
        const others = found.filter(({ needed }) => !needed);
        const excess = others.filter(({ allowed }) => allowed).map(actOn);
        if (excess.length === 0) return leftOpen(others) ?? go('the user may do nothing else');
        return attention(
          `the user may also ${listOf(excess)}`,
          'use a profile of its own with the grants of the script alone (docs/db2.md, section 4)',
        );
      }),
  },
  {
    name: 'comparison',
    judge: ({ comparison }) => {
      if (!comparison) return undefined;
      if (comparison.ok) return go(`${comparison.value}.PODSHDP is there, and the user may write it`);
      return noGo(
        `the table of SHADOW_LIBRARY cannot be written: ${comparison.why}`,
        'print its script (npm run host -- ddl --comparison), or unset SHADOW_LIBRARY',
      );
    },
  },
  {
    name: 'triggers',
    judge: ({ dialect, triggers, files, map }, settings) => {
      if (settings.changes === 'polling') return go('not needed: HOST_CHANGES=polling');
      const otherWay = 'or set HOST_CHANGES=polling';
      return judged(triggers, 'the triggers', (found) => {
        const usable = new Map(found.map(({ file, name, usable: isUsable }) => [`${file}.${name}`, isUsable]));
        // The missing ones have a line of their own.
        const present = ringingFiles.filter((file) => !files.ok || files.value.get(file) !== undefined);
        const wanted = present.flatMap((file) =>
          doorbellEvents.map(
            (event) => `${map.table(file)}.${triggerName(dialect, file, event, map.cellDoorbell).toUpperCase()}`,
          ),
        );
        const missing = wanted.filter((name) => !usable.has(name));
        const off = wanted.filter((name) => usable.get(name) === false);
        if (missing.length > 0)
          return beforeLive(noGo(`missing: ${listOf(missing)}`, `${script}, ${otherWay}`), settings);
        if (off.length > 0)
          return beforeLive(
            noGo(`disabled or inoperative: ${listOf(off)}`, `enable or recreate them, ${otherWay}`),
            settings,
          );
        return go(`all ${wanted.length} are there and enabled`);
      });
    },
  },
  {
    name: 'numbers',
    judge: ({ dialect, triggers, files, map }) => {
      // A library of an earlier layout has none, as its line says.
      const numbered = hostFileNames.filter((name) => {
        const number = numberOf(map.file(name), map);
        return number !== undefined && files.ok && hasColumn(files.value, map, name, number);
      });
      if (numbered.length === 0) return undefined;
      return judged(triggers, 'the triggers', (found) => {
        const usable = new Set(found.filter((one) => one.usable).map(({ file, name }) => `${file}.${name}`));
        const lacking = numbered
          .flatMap((name) =>
            numberedEvents.map((event) =>
              `${map.table(name)}.${numberTriggerName(dialect, name, event)}`.toUpperCase(),
            ),
          )
          .filter((name) => !usable.has(name));
        if (lacking.length === 0) return go('the host numbers the changes of results and of the log');
        return attention(
          `missing or disabled: ${listOf(lacking)}; programs that read by number miss changes`,
          `${script}; without triggers let them read by RUCHTS (docs/adopting.md, Programs that read)`,
        );
      });
    },
  },
  {
    name: 'journal',
    judge: ({ unjournaled, files, map }, settings) =>
      unjournaled &&
      judged(unjournaled, 'the journal', (found) => {
        const ours = files.ok
          ? found.filter((name) => [...files.value.keys()].some((file) => map.table(file) === name))
          : found;
        if (ours.length === 0) return go('every file is journaled');
        return beforeLive(
          noGo(
            `without a journal: ${listOf(ours)}`,
            'STRJRNPF FILE(…) JRN(…) IMAGES(*BOTH): else a stop can be half written until its retry',
          ),
          settings,
        );
      }),
  },
  {
    name: 'code-page',
    judge: ({ dialect, sample, files, map }) =>
      sample &&
      judged(sample, 'the bytes of a text', ({ hex, text }) => {
        const expected = sampleOn(dialect === 'db2i' ? 'db2i' : 'db2', map.ccsid);
        if (hex !== expected)
          return noGo(
            `${sampleText} reaches the host as ${hex} and not ${expected}`,
            `the job must not run on CCSID 65535 (CHGUSRPRF … CCSID(${map.ccsid})); client DB2CODEPAGE=1208 (docs/db2.md, section 3)`,
          );
        if (text !== sampleText) return noGo(`${sampleText} comes back as ${text}`, 'see docs/db2.md, section 3');
        const others = dialect === 'db2i' && files.ok ? otherPages(files.value, map) : [];
        if (others.length > 0) return noGo(`not in CCSID ${map.ccsid}: ${listOf(others)}`, ccsidAdvice(files, map));
        return go(`${sampleText} is ${hex} on the host, and comes back`);
      }),
  },
  {
    name: 'empty-text',
    judge: ({ emptyIsNull }) =>
      judged(emptyIsNull, 'the compatibility of the database', (isNull) =>
        isNull
          ? noGo(
              'the database takes an empty text for null (DB2_COMPATIBILITY_VECTOR=ORA)',
              'create the database without that vector; it cannot be changed later',
            )
          : go('an empty text is no null'),
      ),
  },
  {
    name: 'sort-space',
    judge: ({ sortPage }) =>
      sortPage &&
      judged(sortPage, 'the table spaces', (bytes) =>
        bytes >= SORT_PAGE
          ? go('the temporary table space has pages of 32 KB')
          : noGo(
              `the largest page of a temporary table space has ${bytes} bytes: a sort with ASSCHP needs ${SORT_PAGE}`,
              'create a system temporary table space with pages of 32 KB',
            ),
      ),
  },
  {
    name: 'lock-wait',
    judge: ({ session, dialect }) => {
      if (!session)
        return dialect === 'db2i'
          ? attention('the files define it (WAITRCD); the service ends a wait after 10 s', 'docs/db2.md, Record locks')
          : undefined;
      return judged(session, 'the limit of a lock wait', ({ lockWaitS }) => {
        if (lockWaitS !== undefined && lockWaitS > 0 && lockWaitS <= LONGEST_LOCK_WAIT_S)
          return go(`a wait for a lock ends after ${lockWaitS} s`);
        const says = lockWaitS === undefined || lockWaitS <= 0 ? 'without a limit' : `for ${lockWaitS} s`;
        return noGo(`a statement waits for a lock ${says}`, 'set LockTimeout=3 in LEGACY_URL, or leave it out');
      });
    },
  },
  {
    name: 'isolation',
    judge: ({ session }) =>
      session &&
      judged(session, 'the isolation level', ({ isolation }) =>
        ['', 'CS'].includes(isolation)
          ? go('reads see committed rows (CS)')
          : noGo(`the isolation level is ${isolation} and not CS`, 'leave TxnIsolation out of LEGACY_URL'),
      ),
  },
  {
    name: 'clock',
    judge: ({ clockAheadS }) =>
      judged(clockAheadS, 'the clock', (seconds) => {
        const size = Math.abs(seconds);
        const says = `the host’s clock is ${size} s ${seconds < 0 ? 'behind' : 'ahead of'} the server’s`;
        if (size <= CLOCK.fine) return go(says);
        const todo = 'synchronize both by NTP; compare the host’s time zone (QUTCOFFSET, TZ) with its wall clock';
        return size <= CLOCK.usable ? attention(says, todo) : noGo(says, todo);
      }),
  },
  {
    name: 'zones',
    judge: ({ zones }) =>
      judged(zones, 'FACMSTP', (facilities) => {
        const wrong = facilities
          .filter(({ zone }) => !isZone(zone))
          .map(({ facility, zone }) => `${facility} (${zone === '' ? 'blank' : zone})`);
        if (wrong.length > 0)
          return noGo(
            `FATZ is no IANA zone: ${listOf(wrong)}`,
            'write the zone, such as America/Chicago; else its times on the host are in UTC',
          );
        if (facilities.length === 0)
          return attention('FACMSTP has no facility yet', 'add the facilities before their first route');
        return go(`FATZ of each facility is a zone (${facilities.length})`);
      }),
  },
  {
    name: 'switch',
    judge: ({ switches }) =>
      judged(switches, 'PODCTLP', (rows) => {
        if (rows.length !== 1)
          return noGo(`PODCTLP has ${rows.length} rows and not one`, "insert into PODCTLP (CTHOLD) values ('N')");
        if (rows[0]?.hold === 'Y') return attention('PODCTLP holds replication', 'set CTHOLD = N when it may write');
        return go('PODCTLP lets the service write');
      }),
  },
];

function judged<Value>(reading: Reading<Value>, what: string, judge: (value: Value) => Verdict): Verdict {
  return reading.ok
    ? judge(reading.value)
    : unknown(`the host does not tell ${what}: ${reading.why}`, 'let an administrator of the host check it');
}

type Files = ReadonlyMap<HostFileName, readonly HostColumn[] | undefined>;

const presentFiles = (files: Files): [HostFileName, readonly HostColumn[]][] =>
  [...files].flatMap(([name, columns]) => (columns === undefined ? [] : [[name, columns]]));

const hasColumn = (files: Files, map: LibraryMap, file: HostFileName, column: string): boolean =>
  files.get(file)?.some(({ name }) => name === map.ownName(column)) === true;

/** The layout of a library, and the parts of later ones, which it may lack. */
function layoutIn(files: Files, map: LibraryMap) {
  const isMissing = (file: HostFileName, column?: string): boolean => {
    if (files.get(file) === undefined) return true;
    return column !== undefined && map.ownName(column) !== undefined && !hasColumn(files, map, file, column);
  };
  const version = layoutOf(isMissing);
  const later = additionsSince(version);
  const isLater = (file: HostFileName, column?: string): boolean =>
    later.some((added) => added.file === file && (added.columns === undefined || added.columns.includes(column ?? '')));
  return { version, isLater };
}

const otherPages = (files: Files, map: LibraryMap): string[] =>
  presentFiles(files).flatMap(([name, columns]) =>
    columns
      .filter(({ type, ccsid }) => isText(type) && String(ccsid) !== map.ccsid)
      .map((column) => `${map.table(name)}.${column.name} (${column.ccsid})`),
  );

/** One of the other code pages that hold Latin-1 in all texts: a setting is enough. */
function ccsidAdvice(files: Reading<Files>, map: LibraryMap): string {
  const known = `CCSID takes ${ccsids.join(', ')}: each has the characters that the service writes`;
  const inUse = files.ok
    ? new Set(
        presentFiles(files.value).flatMap(([, columns]) =>
          columns.flatMap(({ type, ccsid }) => (isText(type) ? [String(ccsid)] : [])),
        ),
      )
    : new Set<string>();
  const [only] = inUse;
  if (inUse.size === 1 && ccsids.some((ccsid) => ccsid === only)) return `set CCSID=${only}`;
  if (inUse.has('65535')) return `alter the columns to CCSID ${map.ccsid}: 65535 is never converted; ${known}`;
  return `alter the columns to CCSID ${map.ccsid}; ${known}, and other code pages lack letters of phones or change them`;
}

const isText = (type: string): boolean => /^(VAR)?CHAR$/.test(type);

/** A library of an earlier layout has no grant to delete lines of the log, and needs it for that setting alone. */
const isUsed = ({ needed, act, file }: AuthorityFact, { hostLogDays }: CheckSettings): boolean =>
  needed && (hostLogDays !== undefined || act !== 'delete' || file !== 'PODRPLP');

/** A need of writes alone: a person looks at it while the service reads alone, in shadow. */
const beforeLive = (refused: Verdict, { live }: CheckSettings): Verdict =>
  live ? refused : attention(refused.says, `before a facility is live: ${refused.todo}`);

/** Undefined where the host answered each probe. */
function leftOpen(facts: readonly AuthorityFact[]): Verdict | undefined {
  const open = facts.filter(({ allowed }) => allowed === undefined);
  if (open.length === 0) return undefined;
  const says = `the host does not tell whether the user may ${listOf(open.map(actOn))}: ${open[0]?.why}`;
  return unknown(says, 'run the doctor again, or let an administrator of the host check it');
}

const actOn = ({ act, file }: AuthorityFact): string => `${act} ${file}`;
