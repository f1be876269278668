import { cover, type Covering } from './covering.ts';
import { officeCoverage } from './office-coverage.ts';

const pending = cover('server/http/route.test.ts', 'a pending stop, unprefixed: every field, in driving order');
const model = cover('server/http/stop-properties.test.ts', 'GET shows the stored values, field by', ['stops[]']);
const inOrder = cover('server/http/route-answer.test.ts', 'fields are in the documented order');
const v20Line = cover('server/http/route.test.ts', 'the same stop in v20: plan fields of the lines, no results', [
  'stops[].products',
  'stops[].collections',
]);
const v20Model = cover(
  'server/http/stop-properties.test.ts',
  'v20 shows the plan of each line without its results, and',
  ['stops[]'],
);
const timers = cover('server/http/closing.test.ts', 'legacy environment, %s');
const meant = cover('server/http/named-route.test.ts', 'the id alone is enough: the one open route of this driver', [
  'id',
  'route_id',
]);
const narrowed = [
  cover('server/http/named-route.test.ts', 'several open ones are 409 and listed; facility or', ['week_end']),
  cover('server/http/named-route.test.ts', 'the facility decides between two routes of that name', ['facility']),
];
const ofItsKind = cover('server/http/every-field.test.ts', 'each field of $name');
const allKept = cover('server/http/every-field.test.ts', 'the service stores every field of a stop that a', [
  'stops[]',
]);
const toHost = cover('server/stops/host-rows.test.ts', 'RTSTUP: local dates and times, event time in UTC', [
  'stops[].updates.start_delivery_time',
  'stops[].updates.end_delivery_time',
  'stops[].updates.delivery_l',
  'stops[].updates.skip_refuse_',
]);
const kept = cover(
  'protocol/apply-stop-update.test.ts',
  'the server stores action fields that only the app needs beside the',
  ['products', 'collections'].flatMap((kind) =>
    ['open', 'open_action', 'item_name', 'quantity'].map((field) => `stops[].${kind}[].action.${field}`),
  ),
);
const counted = cover(
  'server/stops/host-rows.test.ts',
  'RTPRUP: two manifest lines of one item and invoice are distinguished by occurrence',
  ['products', 'collections'].flatMap((kind) =>
    ['returned', 'delivered_pallets'].map((field) => `stops[].${kind}[].updates.${field}`),
  ),
);
const preview = cover('server/http/delivery-email.test.ts', 'GET /api/route/stop/email-preview (interface.md 4.3');
const report = cover('server/http/load-reports.test.ts', 'stores the report and returns its time');
const filters = cover('server/http/load-reports.test.ts', '%s=%s, newest capturedAt first');
const cell = cover('server/http/cell.test.ts', 'names the address of a facility');

/** The tests of each payload; `syncStops body` is the body of the operation `syncStops`. */
export const coverage: Readonly<Record<string, readonly Covering[]>> = {
  'listEmployees data': [cover('server/http/auth.test.ts', 'registers an employee of the master, %s')],
  'signUp body': [
    ofItsKind,
    cover('server/http/auth.test.ts', 'registers an employee of the master, %s', ['employee_id', 'password']),
    cover('server/http/auth-limits.test.ts', 'the device of the sign-up is known', ['device']),
  ],
  'signUp data': [cover('server/http/auth.test.ts', 'registers an employee of the master, %s')],
  'signIn body': [
    ofItsKind,
    cover('server/http/auth.test.ts', 'returns a token and its driver, %s', ['employee_id', 'password']),
    cover('server/http/auth.test.ts', 'confirm_login ends the sessions of the others', ['confirm_login']),
    cover('server/http/auth-limits.test.ts', 'a known device waits for its own', ['device']),
  ],
  'signIn data': [cover('server/http/auth.test.ts', 'returns a token and its driver, %s')],
  'signOut body': [ofItsKind, cover('server/http/auth.test.ts', 'reads the credentials from the body, too')],
  'updatePassword body': [
    ofItsKind,
    cover('server/http/auth-passwords.test.ts', 'gives a token, ends the other sessions and the old password, %s', [
      'employee_id',
      'current_password',
      'new_password',
    ]),
    cover('server/http/auth-limits.test.ts', 'the device that changed the password is known', ['device']),
  ],
  'updatePassword data': [
    cover('server/http/auth-passwords.test.ts', 'gives a token, ends the other sessions and the old password, %s'),
  ],
  'resetPassword body': [
    ofItsKind,
    cover('server/http/auth-passwords.test.ts', 'sends a one-time password that signs in, once, %s'),
  ],

  'readRoute data': [
    pending,
    model,
    inOrder,
    cover('server/http/stop-lines.test.ts', 'of an action are itemized: their barcodes are not', [
      'stops[].products[].action',
    ]),
  ],
  'readRoute meta': [timers],
  'readRouteV20 data': [
    v20Line,
    v20Model,
    inOrder,
    cover('server/http/route.test.ts', 'except for the lines of its stops, v20 equals the unprefixed set', [
      ...['id', 'facility', 'name', 'week_end', 'last_updated', 'drivers'],
      ...['id', 'type', 'updates', 'osd_emails', 'customer', 'invoices'].map((field) => `stops[].${field}`),
    ]),
  ],
  'readRouteV20 meta': [timers],
  'listRouteDrivers data': [
    cover('server/http/route.test.ts', 'every driver of a route that is not closed, once, ascending'),
  ],

  'syncStops body': [
    meant,
    ...narrowed,
    ofItsKind,
    allKept,
    cover('server/http/closing.test.ts', 'arrived is never undone, and on other', ['stops[].id', 'stops[].arrived']),
    cover('server/http/stop-lines.test.ts', 'null and "" clear a field, absent leaves it', ['stops[].updates']),
    cover('server/http/stop-lines.test.ts', 'evidence is never cleared by null', [
      'stops[].updates.signature_id',
      'stops[].updates.overage_items[].images_id',
      'stops[].products[].updates.image_ids',
    ]),
    toHost,
    counted,
    kept,
    cover('server/http/stop-lines.test.ts', 'the manifest line that an update means', [
      'stops[].products[]',
      'stops[].collections[]',
    ]),
    cover('server/http/stop-sync.test.ts', 'GET shows the sent values, with the', [
      'stops[].products[]',
      'stops[].collections[]',
    ]),
    model,
  ],
  'syncStops data': [
    cover('server/http/stop-sync.test.ts', 'returns the result of each stop, %s'),
    cover('server/http/stop-sync.test.ts', 'business reasons never refuse a change', ['stops[].warnings[]']),
    cover('server/http/stop-sync.test.ts', 'an unknown stop is rejected beside the others', [
      'stops[].status',
      'stops[].version',
    ]),
  ],
  'skipStop body': [
    ofItsKind,
    meant,
    cover('server/http/skip-refuse.test.ts', 'the status comes from %s', ['status', 'type', 'skip_refuse_reason_code']),
    cover('server/http/skip-refuse.test.ts', 'stop_id may be numeric text; a malformed time is stored as sent', [
      'stop_id',
      'skip_refuse_',
    ]),
    cover('server/http/skip-refuse.test.ts', 'facility and week_end narrow', ['facility', 'week_end']),
  ],
  'skipStop data': [cover('server/http/skip-refuse.test.ts', 'route_id and stop_id are enough, and skip, %s')],
  'previewEmail query': [preview],

  'findCell query': [cell],
  'findCell data': [cell],
  'health data': [cover('server/http/health.test.ts', 'is alive, %s')],
  'readiness data': [cover('server/http/health.test.ts', 'is ready with every dependency available')],
  'readHostJob data': [
    cover('server/http/host-diagnostics.test.ts', 'job-ccsid: the CCSID, user, job and library, %s'),
  ],
  'readTableCcsids params': [cover('server/http/host-diagnostics.test.ts', '%s is not a file of the interface: 404')],
  'readTableCcsids data': [
    cover('server/http/host-diagnostics.test.ts', 'ccsid of a table: every column of the catalog in its order, %s'),
  ],

  'uploadAssets form': [
    cover('server/http/assets.test.ts', 'a batch: an id for each file, in upload', ['files']),
    cover('server/http/assets.test.ts', 'mimetypes overrides by file name', ['mimetypes']),
  ],
  'uploadAssets data': [cover('server/http/assets.test.ts', 'a batch: an id for each file, in upload')],
  'downloadAsset params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'readAssetUrls params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'readAssetUrls data': [cover('server/http/assets.test.ts', 'data URLs are exact over the edges of chunks')],
  'listAssetIds params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'listAssetIds data': [
    cover('server/http/assets.test.ts', 'a primary id means its upload, a secondary id its own file'),
  ],

  'listStopExceptions data': [
    cover('server/http/codes.test.ts', 'stop-exception: code, description, type, flags and sort, by sort'),
  ],
  'listCreditReasons data': [
    cover('server/http/codes.test.ts', 'credit-reason: code, description, category, photo and sort'),
  ],
  'listInvoiceExceptions data': [
    cover('server/http/codes.test.ts', 'invoice-exception: only codes flagged for drivers, each'),
  ],
  'listContainerTypes data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],
  'listSections data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],
  'listTrailerAreas data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],

  'submitLoadReport body': [
    ofItsKind,
    report,
    cover('server/http/load-reports.test.ts', 'empty fields may be missing or null; a'),
  ],
  'submitLoadReport data': [
    report,
    cover('server/http/load-reports.test.ts', 'the same id and content is a duplicate', ['duplicate']),
  ],
  'listLoadReports query': [
    cover(filters.file, filters.title, [
      'reportId',
      'loadId',
      'stopId',
      'driverId',
      'captured',
      'key',
      'minRating',
      'maxRating',
    ]),
    cover('server/http/load-reports.test.ts', 'a filter reads the latest revision only', ['revisions']),
    cover('server/http/load-reports.test.ts', '100 by default, 500 at most; the last', ['limit']),
    cover('server/http/load-reports.test.ts', 'pages contain every report once, also', ['cursor']),
  ],
  'listLoadReports data': [
    filters,
    cover('server/http/load-reports.test.ts', 'text of every kind comes back unchanged'),
  ],
  'listLoadReports meta': [cover('server/http/load-reports.test.ts', '100 by default, 500 at most; the last')],

  'listQuarantine query': [
    cover('server/http/quarantine-list.test.ts', 'filters by state, code and name', ['state', 'code', 'name']),
    cover('server/http/quarantine-list.test.ts', 'pages contain each entry once, also', ['limit', 'cursor']),
  ],
  'listQuarantine data': [
    cover('server/http/quarantine-list.test.ts', 'shows sender, reason and text of each'),
    cover('server/http/quarantine-list.test.ts', 'bytes that are not text come as base64', ['[].body_encoding']),
  ],
  'listQuarantine meta': [cover('server/http/quarantine-list.test.ts', 'pages contain each entry once, also')],

  'readQuarantined params': [cover('server/http/quarantine-release.test.ts', 'applies it as its author recorded it')],
  'readQuarantined data': [cover('server/http/quarantine-release.test.ts', 'applies it as its author recorded it')],
  'releaseQuarantined params': [
    cover('server/http/quarantine-release.test.ts', 'applies it as its author recorded it'),
  ],
  'releaseQuarantined data': [cover('server/http/quarantine-release.test.ts', 'applies it as its author recorded it')],
  'releaseQuarantined body': [
    ofItsKind,
    cover('server/http/quarantine-release.test.ts', 'applies it as its author recorded it'),
  ],
  'dismissQuarantined params': [cover('server/http/quarantine-release.test.ts', 'the driver receives the reason; the')],
  'dismissQuarantined body': [
    ofItsKind,
    cover('server/http/quarantine-release.test.ts', 'the driver receives the reason; the'),
  ],
  'dismissQuarantined data': [cover('server/http/quarantine-release.test.ts', 'the driver receives the reason; the')],

  'listDevices query': [
    cover('server/http/ops-devices.test.ts', 'shows each phone’s outbox, its age, the', [
      'state',
      'employee',
      'silent_minutes',
    ]),
    cover('server/http/ops-devices.test.ts', 'returns pages that contain each queue', ['client_id', 'limit', 'cursor']),
  ],
  'listDevices data': [cover('server/http/ops-devices.test.ts', 'shows each phone’s outbox, its age, the')],
  'listDevices meta': [cover('server/http/ops-devices.test.ts', 'returns pages that contain each queue')],
  'listInvitations data': [cover('server/http/invitations.test.ts', 'a depot’s code is for its drivers')],
  'listActs query': [
    cover('server/http/operator-acts.test.ts', 'filters by operator and time, in pages', [
      'by',
      'from',
      'until',
      'limit',
      'cursor',
      'stop_id',
    ]),
    cover('server/http/operator-acts.test.ts', 'a repair is one act with the ledger’s change', [
      'facility',
      'route_id',
      'week_end',
      'stop_id',
    ]),
    cover('server/http/operator-acts.test.ts', 'holds, incidents, invitations and drivers', [
      'subject',
      'subject_kind',
      'employee',
    ]),
  ],
  'listActs data': [cover('server/http/operator-acts.test.ts', 'shows who, what, to which subject, why')],
  'listActs meta': [cover('server/http/operator-acts.test.ts', 'filters by operator and time, in pages')],
  'endHold body': [cover('server/http/operator-acts.test.ts', 'holds, incidents, invitations and drivers')],
  'retryParked body': [cover('server/http/operator-acts.test.ts', 'of a program without a name stays possible')],
  'readSignInWays data': [cover('server/ops/oidc.test.ts', 'without a provider there is none')],
  'beginOidcSignIn body': [cover('server/ops/oidc.test.ts', 'signs an operator in')],
  'beginOidcSignIn data': [cover('server/ops/oidc.test.ts', 'signs an operator in')],
  'finishOidcSignIn body': [cover('server/ops/oidc.test.ts', 'signs an operator in')],
  'finishOidcSignIn data': [cover('server/ops/oidc.test.ts', 'signs an operator in')],
  'readCaller data': [cover('server/http/operator-sessions.test.ts', 'opens a session on every node, in any case')],
  'changeOperatorPassword body': [
    cover('server/http/operator-sessions.test.ts', 'opens a session that can only set an own password'),
  ],
  'changeOperatorPassword data': [
    cover('server/http/operator-sessions.test.ts', 'opens a session that can only set an own password'),
  ],
  'invite body': [
    cover('server/http/invitations.test.ts', 'a code is refused for an employee outside the master'),
    cover('server/http/invitations.test.ts', 'a code ends when it expires or is withdrawn'),
  ],
  'invite data': [cover('server/http/invitations.test.ts', 'a code is for one employee and one sign-up')],
  'withdrawInvitation params': [
    cover('server/http/invitations.test.ts', 'a code ends when it expires or is withdrawn'),
  ],
  'withdrawInvitation body': [cover('server/http/invitations.test.ts', 'a code ends when it expires or is withdrawn')],
  'withdrawInvitation data': [cover('server/http/invitations.test.ts', 'a code ends when it expires or is withdrawn')],
  'revokeDevice params': [cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions')],
  'revokeDevice body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions'),
  ],
  'revokeDevice data': [cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions')],
  'rescueQueue params': [cover('server/http/ops-devices.test.ts', 'has a result for each change; a revoked queue is')],
  'rescueQueue body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'has a result for each change; a revoked queue is'),
  ],
  'rescueQueue data': [
    cover('server/http/ops-devices.test.ts', 'has a result for each change; a revoked queue is'),
    cover('server/http/ops-devices.test.ts', 'changes behind a gap have no result, and the answer', ['wants']),
  ],
  'unregisterDriver params': [cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver')],
  'unregisterDriver body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver'),
  ],
  'unregisterDriver data': [cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver')],
  'listIncidents query': [
    cover('server/http/ops-devices.test.ts', 'lists the records, newest first, until', ['incident_id']),
    cover('server/http/ops-devices.test.ts', 'filters by kind, route and time, in pages'),
  ],
  'listIncidents data': [cover('server/http/ops-devices.test.ts', 'lists the records, newest first, until')],
  'listIncidents meta': [cover('server/http/ops-devices.test.ts', 'filters by kind, route and time, in')],
  'acknowledgeIncident params': [cover('server/http/ops-devices.test.ts', 'lists the records, newest first, until')],
  'acknowledgeIncident body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'lists the records, newest first, until'),
  ],
  'acknowledgeIncident data': [cover('server/http/ops-devices.test.ts', 'lists the records, newest first, until')],

  'readStopHistory query': [cover('host/stop-history.test.ts', 'has every change with its author, its times')],
  'readStopHistory data': [
    cover('host/stop-history.test.ts', 'has every change with its author, its times'),
    cover('host/stop-history.test.ts', 'lists changes that could not be applied', ['kept']),
    cover('host/stop-history.test.ts', 'a refused stop is not listed as on the host', ['host', 'mutations[].on_host']),
  ],
  'verifyStopHistory query': [cover('host/stop-history.test.ts', 'follows the chain over the other stops')],
  'verifyStopHistory data': [cover('host/stop-history.test.ts', 'follows the chain over the other stops')],

  'listFlags query': [
    cover('server/http/flags.test.ts', 'filters by facility, route and code', ['facility', 'route_id', 'code']),
    cover('server/http/flags.test.ts', 'returns pages that contain each entry', ['limit', 'cursor']),
  ],
  'listFlags data': [cover('server/http/flags.test.ts', 'shows author and reason of each flag, newest first')],
  'listFlags meta': [cover('server/http/flags.test.ts', 'returns pages that contain each entry')],

  ...officeCoverage,

  'listParked query': [cover('host/parking.test.ts', 'the list distinguishes states and has pages')],
  'listParked data': [cover('host/parking.test.ts', 'a stop that the host refuses is listed')],
  'listParked meta': [cover('host/parking.test.ts', 'the list distinguishes states and has pages')],
  'readParked params': [cover('host/parking.test.ts', 'one entry is read by its id, until the host has taken the row')],
  'readParked data': [cover('host/parking.test.ts', 'one entry is read by its id, until the host has taken the row')],
  'retryParked params': [cover('host/parking.test.ts', 'retry: the next attempt starts immediately')],
  'retryParked data': [cover('host/parking.test.ts', 'retry: the next attempt starts immediately')],
  'skipParked params': [cover('host/parking.test.ts', 'skip: the close goes out')],
  'skipParked body': [ofItsKind, cover('host/parking.test.ts', 'skip: the close goes out')],
  'skipParked data': [cover('host/parking.test.ts', 'skip: the close goes out')],
  'repairParked params': [cover('host/parking.test.ts', 'repair: the office corrects the stop')],
  'repairParked body': [
    ofItsKind,
    cover('server/http/operator-acts.test.ts', 'a repair is one act with the ledger’s change', ['reason']),
    cover('host/parking.test.ts', 'repair: the office corrects the stop', [
      'by',
      'stop.id',
      'stop.updates.driver_comments',
    ]),
  ],
  'repairParked data': [cover('host/parking.test.ts', 'repair: the office corrects the stop')],

  'listHolds data': [cover('host/hold.test.ts', 'a window of the calendar')],
  'beginHold body': [ofItsKind, cover('host/hold.test.ts', 'a window of the calendar')],
  'beginHold data': [cover('host/hold.test.ts', 'a window of the calendar')],
  'endHold params': [cover('host/hold.test.ts', 'the switch of the operators')],
  'endHold data': [cover('host/hold.test.ts', 'the switch of the operators')],

  'readReplication data': [
    cover('host/ops-replication.test.ts', 'the backlog is listed by file and by route'),
    cover('host/ops-replication.test.ts', 'a worker’s breaker and its paused files', ['workers']),
    cover('host/ops-replication.test.ts', 'parked entries count until an operator skips them', ['parked', 'hold']),
  ],
  'listHostLag data': [cover('host/ops-replication.test.ts', 'the lag of the last day has a sample for each five')],
  'listRouteBacklog query': [cover('host/ops-replication.test.ts', 'the backlog is listed by file and by route')],
  'listRouteBacklog data': [cover('host/ops-replication.test.ts', 'the backlog is listed by file and by route')],
  'listRouteBacklog meta': [cover('host/ops-replication.test.ts', 'the backlog is listed by file and by route')],
};
