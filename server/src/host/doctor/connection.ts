import type { HostError } from '../host.ts';
import { diagnosisOf, type Diagnosis } from './examine.ts';
import { noGo } from './verdict.ts';

/** The only finding where no connection can be made: the driver, its licence, the address, the user. */
export function unreachable({ sqlstate, sqlcode, message }: HostError): Diagnosis {
  const todo = todoOf(sqlstate, sqlcode);
  return diagnosisOf([{ check: 'connection', ...noGo(`SQLSTATE ${sqlstate}: ${message}`, todo) }]);
}

function todoOf(sqlstate: string, sqlcode: number | undefined): string {
  if (sqlcode === -1_598) return 'install the licence of Db2 Connect (docs/db2.md, section 1)';
  if (sqlstate === '42724') return 'install ibm_db (or odbc), and set NODE_PATH (docs/db2.md, section 1)';
  if (sqlstate === '42997') return 'correct the code pages (docs/db2.md, section 3)';
  if (sqlstate === '42705') return 'correct the address and the name of the database in LEGACY_URL';
  if (sqlstate.startsWith('28') || sqlstate === '42501') return 'correct user, password and authority to connect';
  if (sqlstate.startsWith('08'))
    return 'check host, port, firewall and, on Db2 for i, STRTCPSVR *DDM and the port (446, 448 with TLS)';
  return 'see the table of messages in docs/db2.md, section 5';
}
