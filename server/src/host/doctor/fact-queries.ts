import type { Ccsid } from '../files/ccsid.ts';
import type { Dialect } from '../files/dialect.ts';

// Questions to the catalog of each kind of host. Each query of one name has the same columns for all of them. Sources: the
// SQL references of Db2 for i (SYSTRIGGERS, OBJECT_STATISTICS) and Db2 LUW (SYSCAT.TRIGGERS, SYSCAT.TABLESPACES).

interface FactQueries {
  /** FILNAM, TRGNAM, USABLE Y/N; parameter: library. */
  readonly triggers: string;
  /** FILNAM of each file without a journal; parameter: library. */
  readonly unjournaled?: string;
  /** HEX and TXT; parameters: the sample text, twice. */
  readonly sample?: (ccsid: Ccsid) => string;
  /** LOCKWAIT in seconds, ISOLATION. */
  readonly session?: string;
  /** EMPTYNULL Y/N. */
  readonly emptyIsNull: string;
  /** PAGESIZE in bytes. */
  readonly sortPage?: string;
  /** NOW, the host's time in UTC. */
  readonly clock: string;
}

const emptyText = "case when cast('' as varchar(1)) is null then 'Y' else 'N' end as EMPTYNULL";
const db2Clock = 'select current_timestamp - current_timezone as NOW from SYSIBM.SYSDUMMY1';

export const factQueries: { readonly [dialect in Dialect]: FactQueries } = {
  db2i: {
    triggers: `select EVENT_OBJECT_TABLE as FILNAM, TRIGGER_NAME as TRGNAM,
  case when ENABLED = 'Y' and OPERATIVE = 'Y' then 'Y' else 'N' end as USABLE
from QSYS2.SYSTRIGGERS where EVENT_OBJECT_SCHEMA = ?`,
    unjournaled: `select OBJNAME as FILNAM from table(QSYS2.OBJECT_STATISTICS(cast(? as varchar(10)), 'FILE')) as X
where JOURNALED = 'NO' and OBJATTRIBUTE = 'PF'`,
    sample: (ccsid) =>
      `select hex(cast(? as varchar(20) ccsid ${ccsid})) as HEX, cast(? as varchar(20) ccsid ${ccsid}) as TXT from SYSIBM.SYSDUMMY1`,
    emptyIsNull: `select ${emptyText} from SYSIBM.SYSDUMMY1`,
    clock: db2Clock,
  },
  db2: {
    triggers: `select TABNAME as FILNAM, TRIGNAME as TRGNAM, case when VALID = 'Y' then 'Y' else 'N' end as USABLE
from SYSCAT.TRIGGERS where TABSCHEMA = ?`,
    sample: () => 'select hex(cast(? as varchar(20))) as HEX, cast(? as varchar(20)) as TXT from SYSIBM.SYSDUMMY1',
    session: 'select current lock timeout as LOCKWAIT, current isolation as ISOLATION from SYSIBM.SYSDUMMY1',
    emptyIsNull: `select ${emptyText} from SYSIBM.SYSDUMMY1`,
    sortPage: `select coalesce(max(PAGESIZE), 0) as PAGESIZE from SYSCAT.TABLESPACES where DATATYPE = 'T'`,
    clock: db2Clock,
  },
  postgres: {
    triggers: `select upper(c.relname) as filnam, upper(t.tgname) as trgnam, case when t.tgenabled = 'O' then 'Y' else 'N' end as usable
from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = lower(?) and not t.tgisinternal`,
    session: `select (select setting::numeric / 1000 from pg_settings where name = 'lock_timeout') as lockwait,
  case current_setting('transaction_isolation') when 'read committed' then 'CS' else current_setting('transaction_isolation') end as isolation`,
    emptyIsNull: `select ${emptyText}`,
    clock: `select cast(clock_timestamp() at time zone 'UTC' as timestamp) as now`,
  },
};
