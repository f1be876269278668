import type { Covering } from './covering.ts';
import { cover } from './covering.ts';

/** Tests of the operations by which the office reads routes, stops and files. */
export const officeCoverage: Readonly<Record<string, readonly Covering[]>> = {
  'listRoutes query': [
    cover('server/ops/routes.test.ts', 'the filters combine, and closed routes need a day', [
      'facility',
      'date',
      'state',
    ]),
    cover('server/ops/routes.test.ts', 'pages contain each route once', ['limit', 'cursor']),
  ],
  'listRoutes data': [
    cover('server/ops/routes.test.ts', 'an untouched route shows its plan, its drivers and the work on their phones'),
    cover('server/ops/routes.test.ts', 'finished stops count in driving order, with exceptions, missing files', [
      '[].progress',
      '[].last_stop',
      '[].late_minutes',
    ]),
  ],
  'listRoutes meta': [cover('server/ops/routes.test.ts', 'pages contain each route once')],
  'readOpsRoute params': [
    cover('server/ops/routes.test.ts', 'has a summary of each stop in driving order and the latest'),
  ],
  'readOpsRoute data': [
    cover('server/ops/routes.test.ts', 'has a summary of each stop in driving order and the latest'),
  ],
  'listReconciliation query': [cover('host/reconciliation.test.ts', 'operators list the counts')],
  'listReconciliation data': [cover('host/reconciliation.test.ts', 'operators list the counts')],
  'listReconciliation meta': [cover('host/reconciliation.test.ts', 'operators list the counts')],
  'readShadow query': [cover('host/shadow-comparison.test.ts', 'the office reads the same by kinds')],
  'readShadow data': [cover('host/shadow-comparison.test.ts', 'the office reads the same by kinds')],
  'readDoctor data': [cover('host/host-examiner.test.ts', 'the office reads what the doctor found')],
  'askDoctor data': [cover('host/host-examiner.test.ts', 'the office asks for another examination')],
  'readFirstLoad data': [cover('host/first-load.test.ts', 'the import takes these at a pace, changes have their turn')],
  'listDrills query': [cover('server/ops/drills.test.ts', 'operators list the restore drills')],
  'listDrills data': [cover('server/ops/drills.test.ts', 'operators list the restore drills')],
  'listDrills meta': [cover('server/ops/drills.test.ts', 'operators list the restore drills')],
  'readOpsStop params': [cover('host/ops-stop.test.ts', 'an unknown route or stop is an error, and only operators')],
  'readOpsStop data': [cover('host/ops-stop.test.ts', 'has plan, result, times at the facility, files, receipts and')],
  'compareStop params': [cover('host/ops-stop.test.ts', 'marks the side that differs, different fields first')],
  'compareStop query': [cover('host/ops-stop.test.ts', 'a live comparison reads the rows from the host')],
  'compareStop data': [
    cover('host/ops-stop.test.ts', 'marks the side that differs, different fields first'),
    cover('host/ops-stop.test.ts', 'an untouched stop has no difference'),
  ],
  'listLegalHolds query': [
    cover('server/ops/legal-holds.test.ts', 'are listed by the route and the stop that they cover'),
  ],
  'listLegalHolds data': [
    cover('server/ops/legal-holds.test.ts', 'are listed by the route and the stop that they cover'),
  ],
  'placeLegalHold body': [
    cover('server/ops/legal-holds.test.ts', 'names what is wrong with a scope', ['scope']),
    cover('server/ops/legal-holds.test.ts', 'is an act with its reason, and its release another one', ['by', 'reason']),
    cover('server/ops/legal-holds.test.ts', 'ends at its time', ['until']),
  ],
  'placeLegalHold data': [
    cover('server/ops/legal-holds.test.ts', 'are listed by the route and the stop that they cover'),
  ],
  'releaseLegalHold params': [
    cover('server/ops/legal-holds.test.ts', 'is an act with its reason, and its release another one'),
  ],
  'releaseLegalHold body': [
    cover('server/ops/legal-holds.test.ts', 'is an act with its reason, and its release another one', ['by', 'reason']),
    cover('server/ops/legal-holds.test.ts', 'is released once, and the second operator gets the name of the first', [
      'seen',
    ]),
  ],
  'releaseLegalHold data': [
    cover('server/ops/legal-holds.test.ts', 'is an act with its reason, and its release another one'),
  ],
  'previewProof params': [cover('server/mail/proofs.test.ts', 'is an error for an unknown route or stop')],
  'previewProof data': [
    cover('server/mail/proofs.test.ts', 'is the mail of the stop, with the addresses of the store and'),
    cover('server/mail/proofs.test.ts', 'of a stop that is not delivered says so, and sends nothing', [
      'status',
      'can_send',
      'lacks',
    ]),
  ],
  'sendProof params': [cover('server/mail/proofs.test.ts', 'is an error for an unknown route or stop')],
  'sendProof body': [
    cover('server/mail/proofs.test.ts', 'goes once to the named address, and the stop, its record and', [
      'mail_id',
      'to',
    ]),
    cover('server/mail/proofs.test.ts', 'of a program names its author', ['by']),
    cover('server/mail/proofs.test.ts', 'is told to the second operator before a further mail goes', ['last_seen']),
  ],
  'sendProof data': [
    cover('server/mail/proofs.test.ts', 'goes once to the named address, and the stop, its record and'),
  ],
  'previewEvidence query': [
    cover('server/ops/evidence.test.ts', 'names the field of a scope that is none'),
    cover('server/ops/evidence.test.ts', 'says what the pack would have, and records nothing', ['facility', 'without']),
  ],
  'previewEvidence data': [cover('server/ops/evidence.test.ts', 'says what the pack would have, and records nothing')],
  'makeEvidence query': [
    cover('server/ops/evidence.test.ts', 'names the field of a scope that is none'),
    cover('server/ops/evidence.test.ts', 'of a route has each stop, and of a customer the stops of these'),
    cover('server/ops/evidence.test.ts', 'leaves out names and photos on request, and keeps their', ['without']),
    cover('server/ops/evidence.test.ts', 'is an act of its author, and no part of the evidence', ['by']),
  ],
  'readStopProof query': [
    cover('server/ops/evidence-copy.test.ts', 'is for the drivers of the route, and names no other'),
  ],
  'verifyEvidence form': [cover('server/ops/evidence-check.test.ts', 'of this server is intact, and says what lacks')],
  'verifyEvidence data': [cover('server/ops/evidence-check.test.ts', 'of this server is intact, and says what lacks')],
  'listEvidenceLinks query': [
    cover('server/ops/evidence-links.test.ts', 'is in the list of its stop while it can be used'),
  ],
  'listEvidenceLinks data': [cover('server/ops/evidence-links.test.ts', 'is exchanged once, without an account')],
  'makeEvidenceLink query': [
    cover('server/ops/evidence-links.test.ts', 'has the scope and the left-out parts that its author chose'),
    cover('server/ops/evidence-links.test.ts', 'is not made for an unknown stop, for no recipient'),
  ],
  'makeEvidenceLink body': [
    cover('server/ops/evidence-links.test.ts', 'is stored as a hash only, and is an act of its author', ['note']),
    cover('server/ops/evidence-links.test.ts', 'ends at its time', ['days']),
    cover('server/ops/evidence-links.test.ts', 'of a program names its author', ['by']),
  ],
  'makeEvidenceLink data': [cover('server/ops/evidence-links.test.ts', 'is exchanged once, without an account')],
  'revokeEvidenceLink params': [cover('server/ops/evidence-links.test.ts', 'ends where an operator revokes it')],
  'revokeEvidenceLink body': [cover('server/ops/evidence-links.test.ts', 'of a program names its author', ['by'])],
  'revokeEvidenceLink data': [cover('server/ops/evidence-links.test.ts', 'ends where an operator revokes it')],
  'signInOperator body': [cover('server/http/operator-sessions.test.ts', 'is an error that names')],
  'signInOperator data': [cover('server/http/operator-sessions.test.ts', 'opens a session on every node, in any case')],
  'takeEvidence body': [cover('server/ops/evidence-links.test.ts', 'is exchanged once, without an account')],
  'readOpsAsset params': [
    cover('server/ops/files.test.ts', 'returns a picture as it was sent, for the page, and asks'),
  ],
  'search query': [
    cover('server/ops/search.test.ts', 'words of a customer find the customer and its stops, the latest', ['q']),
    cover('server/ops/search.test.ts', 'the limit counts for each kind, and says where more follows', ['limit']),
  ],
  'search data': [
    cover('server/ops/search.test.ts', 'words of a customer find the customer and its stops, the latest', [
      'stops',
      'customers',
    ]),
    cover('server/ops/search.test.ts', 'a route, a stop and a customer are found by their ids', ['routes']),
    cover('server/ops/search.test.ts', 'a trace id, a file, a driver and a change are found by their', [
      'drivers',
      'files',
      'mutations',
    ]),
    cover('server/ops/search.test.ts', 'the limit counts for each kind, and says where more follows', ['more']),
  ],
  'readAttention data': [
    cover('server/ops/attention.test.ts', 'parked rows with one reason are one cause', [
      'counts.total',
      'counts.parked',
      'causes[].kind',
    ]),
    cover('server/ops/attention.test.ts', 'refused changes are grouped by code and name, and incidents'),
    cover('server/ops/attention.test.ts', 'silent phones, awaited files, forgotten holds and open routes'),
    cover('host/parked-causes.check.ts', '500 stops parked for one cause are retried at a bounded pace', [
      'causes[].running',
    ]),
  ],
  'retryParkedCause body': [
    cover('host/parked-causes.check.ts', '500 stops parked for one cause are retried at a bounded pace'),
  ],
  'retryParkedCause data': [
    cover('host/parked-causes.check.ts', '500 stops parked for one cause are retried at a bounded pace'),
  ],
  'skipParkedCause body': [
    cover('host/parked-causes.check.ts', 'all entries of a cause are skipped for one reason, and retried'),
  ],
  'skipParkedCause data': [
    cover('host/parked-causes.check.ts', 'all entries of a cause are skipped for one reason, and retried'),
  ],
  'reviewFlags body': [cover('server/ops/attention.test.ts', 'flags need a person until one has read them')],
  'reviewFlags data': [cover('server/ops/attention.test.ts', 'flags need a person until one has read them')],
  'followFeed query': [cover('server/ops/feed.test.ts', 'goes on behind the last line, or says that all may have')],
};
