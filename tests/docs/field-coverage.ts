/** A test that covers fields, by the beginnings of their paths; `''` stands for every field of the payload. */
export interface Covering {
  readonly fields: readonly string[];
  /** Under tests. */
  readonly file: string;
  /** As it stands in the file, or its beginning. */
  readonly title: string;
}

const all = [''];
const cover = (file: string, title: string, fields: readonly string[] = all): Covering => ({ fields, file, title });

const pending = cover('server/http/route.test.ts', 'a pending stop, unprefixed: every field, in driving order');
const model = cover('server/http/stop-properties.test.ts', 'GET shows what was PUT, field by field', ['stops[]']);
const inOrder = cover('server/http/route-answer.test.ts', 'fields stand in the documented order');
const v20Line = cover('server/http/route.test.ts', 'the same stop in v20: plan fields of the lines, no results', [
  'stops[].products',
  'stops[].collections',
]);
const v20Model = cover(
  'server/http/stop-properties.test.ts',
  'v20 shows the plan of each line and nothing of its results',
  ['stops[]'],
);
const timers = cover('server/http/closing.test.ts', 'legacy environment, %s');
const meant = cover('server/http/named-route.test.ts', 'the id alone is enough: the one open route of this driver', [
  'id',
  'route_id',
]);
const narrowed = [
  cover('server/http/named-route.test.ts', 'several open ones are 409 and named; facility or week_end', ['week_end']),
  cover('server/http/named-route.test.ts', 'the facility says whose, where two have a route of that name', [
    'facility',
  ]),
];
const ofItsKind = cover('server/http/every-field.test.ts', 'each field of $name');
const allKept = cover('server/http/every-field.test.ts', 'all that a driver can tell of a stop is kept, %s', [
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
  'what only the app needs of an action is kept beside what the host gets',
  ['products', 'collections'].flatMap((kind) =>
    ['open', 'open_action', 'item_name', 'quantity'].map((field) => `stops[].${kind}[].action.${field}`),
  ),
);
const counted = cover(
  'server/stops/host-rows.test.ts',
  'RTPRUP: two manifest lines of one item and invoice are told apart by occurrence',
  ['products', 'collections'].flatMap((kind) =>
    ['returned', 'delivered_pallets'].map((field) => `stops[].${kind}[].updates.${field}`),
  ),
);
const preview = cover('server/http/delivery-email.test.ts', 'GET /api/route/stop/email-preview (interface.md 4.3');
const report = cover('server/http/load-reports.test.ts', 'stores the report and says when');
const filters = cover('server/http/load-reports.test.ts', '%s=%s, newest capturedAt first');

/** What covers each payload; `syncStops body` is the body of the operation `syncStops`. */
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
    cover('server/http/auth.test.ts', 'gives a token and says whose it is, %s', ['employee_id', 'password']),
    cover('server/http/auth.test.ts', 'confirm_login ends the sessions of the others', ['confirm_login']),
    cover('server/http/auth-limits.test.ts', 'a device that has signed in before waits', ['device']),
  ],
  'signIn data': [cover('server/http/auth.test.ts', 'gives a token and says whose it is, %s')],
  'signOut body': [ofItsKind, cover('server/http/auth.test.ts', 'takes the credentials in the body, too')],
  'updatePassword body': [
    ofItsKind,
    cover('server/http/auth-passwords.test.ts', 'gives a token, ends the other sessions and the old password, %s', [
      'employee_id',
      'current_password',
      'new_password',
    ]),
    cover('server/http/auth-limits.test.ts', 'the device on which the password was changed is known', ['device']),
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
    cover('server/http/stop-lines.test.ts', 'of an action are itemized: their barcodes are not kept', [
      'stops[].products[].action',
    ]),
  ],
  'readRoute meta': [timers],
  'readRouteV20 data': [
    v20Line,
    v20Model,
    inOrder,
    cover('server/http/route.test.ts', 'but for the lines of its stops, v20 shows what the unprefixed set shows', [
      ...['id', 'facility', 'name', 'week_end', 'last_updated', 'drivers'],
      ...['id', 'type', 'updates', 'osd_emails', 'customer', 'invoices'].map((field) => `stops[].${field}`),
    ]),
  ],
  'readRouteV20 meta': [timers],
  'listRouteDrivers data': [
    cover('server/http/route.test.ts', 'everybody on a route that is not closed, once, ascending, %s'),
  ],

  'syncStops body': [
    meant,
    ...narrowed,
    ofItsKind,
    allKept,
    cover('server/http/closing.test.ts', 'arrived never goes back', ['stops[].id', 'stops[].arrived']),
    cover('server/http/stop-lines.test.ts', 'null and "" clear a field, absent leaves it', ['stops[].updates']),
    cover('server/http/stop-lines.test.ts', 'evidence is never cleared by null', [
      'stops[].updates.signature_id',
      'stops[].updates.overage_items[].images_id',
      'stops[].products[].updates.image_ids',
    ]),
    toHost,
    counted,
    kept,
    cover('server/http/stop-lines.test.ts', 'which manifest line is meant', [
      'stops[].products[]',
      'stops[].collections[]',
    ]),
    cover('server/http/stop-sync.test.ts', 'what was sent is what GET shows', [
      'stops[].products[]',
      'stops[].collections[]',
    ]),
    model,
  ],
  'syncStops data': [
    cover('server/http/stop-sync.test.ts', 'answers what became of each stop, %s'),
    cover('server/http/stop-sync.test.ts', 'business reasons never bounce', ['stops[].warnings[]']),
    cover('server/http/stop-sync.test.ts', 'an unknown stop is rejected beside the others', [
      'stops[].status',
      'stops[].version',
    ]),
  ],
  'skipStop body': [
    ofItsKind,
    meant,
    cover('server/http/skip-refuse.test.ts', 'the status comes from %s', ['status', 'type', 'skip_refuse_reason_code']),
    cover('server/http/skip-refuse.test.ts', 'stop_id may be numeric text; a time that cannot be read is kept', [
      'stop_id',
      'skip_refuse_',
    ]),
    cover('server/http/skip-refuse.test.ts', 'facility and week_end narrow', ['facility', 'week_end']),
  ],
  'skipStop data': [cover('server/http/skip-refuse.test.ts', 'route_id and stop_id are enough, and skip, %s')],
  'previewEmail query': [preview],

  'health data': [cover('server/http/health.test.ts', 'is alive, %s')],
  'readiness data': [cover('server/http/health.test.ts', 'ready with everything there')],
  'readHostJob data': [
    cover('server/http/host-diagnostics.test.ts', 'job-ccsid: the CCSID, user, job and library, %s'),
  ],
  'readTableCcsids params': [cover('server/http/host-diagnostics.test.ts', '%s is none of our files: 404')],
  'readTableCcsids data': [
    cover('server/http/host-diagnostics.test.ts', 'ccsid of a table: every column of the catalog in its order, %s'),
  ],

  'uploadAssets form': [
    cover('server/http/assets.test.ts', 'a batch: an id a file, in upload order', ['files']),
    cover('server/http/assets.test.ts', 'mimetypes overrides by file name', ['mimetypes']),
  ],
  'uploadAssets data': [cover('server/http/assets.test.ts', 'a batch: an id a file, in upload order')],
  'downloadAsset params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'readAssetUrls params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'readAssetUrls data': [cover('server/http/assets.test.ts', 'data URLs are exact over the edges of chunks')],
  'listAssetIds params': [cover('server/http/assets.test.ts', '$path: unknown 404, malformed 400')],
  'listAssetIds data': [
    cover('server/http/assets.test.ts', 'a primary id stands for its upload, a secondary id for its own file'),
  ],

  'listStopExceptions data': [
    cover('server/http/codes.test.ts', 'stop-exception: code, description, type, flags and sort, by sort'),
  ],
  'listCreditReasons data': [
    cover('server/http/codes.test.ts', 'credit-reason: code, description, category, photo and sort'),
  ],
  'listInvoiceExceptions data': [
    cover('server/http/codes.test.ts', 'invoice-exception: only those that are flagged for drivers'),
  ],
  'listContainerTypes data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],
  'listSections data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],
  'listTrailerAreas data': [cover('server/http/codes.test.ts', '%s has exactly the documented values')],

  'submitLoadReport body': [
    ofItsKind,
    report,
    cover('server/http/load-reports.test.ts', 'what may be empty may be missing or null'),
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
    cover('server/http/load-reports.test.ts', 'a filter looks at the latest revision alone', ['revisions']),
    cover('server/http/load-reports.test.ts', '100 unless asked otherwise, 500 at most', ['limit']),
    cover('server/http/load-reports.test.ts', 'pages meet every report once', ['cursor']),
  ],
  'listLoadReports data': [
    filters,
    cover('server/http/load-reports.test.ts', 'text of every kind comes back as it went in'),
  ],
  'listLoadReports meta': [cover('server/http/load-reports.test.ts', '100 unless asked otherwise, 500 at most')],

  'listQuarantine query': [
    cover('server/http/quarantine-list.test.ts', 'states are told apart', ['state']),
    cover('server/http/quarantine-list.test.ts', 'pages meet each entry once', ['limit', 'cursor']),
  ],
  'listQuarantine data': [
    cover('server/http/quarantine-list.test.ts', 'shows who sent what, why it was not applied'),
    cover('server/http/quarantine-list.test.ts', 'bytes that are no text come as base64', ['[].body_encoding']),
  ],
  'listQuarantine meta': [cover('server/http/quarantine-list.test.ts', 'pages meet each entry once')],

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
  'dismissQuarantined params': [cover('server/http/quarantine-release.test.ts', 'its driver is told why')],
  'dismissQuarantined body': [ofItsKind, cover('server/http/quarantine-release.test.ts', 'its driver is told why')],
  'dismissQuarantined data': [cover('server/http/quarantine-release.test.ts', 'its driver is told why')],

  'listDevices query': [
    cover('server/http/ops-devices.test.ts', 'tells what each phone holds', ['state', 'employee', 'silent_minutes']),
    cover('server/http/ops-devices.test.ts', 'comes in pages that meet each queue once', ['limit', 'cursor']),
  ],
  'listDevices data': [cover('server/http/ops-devices.test.ts', 'tells what each phone holds')],
  'listDevices meta': [cover('server/http/ops-devices.test.ts', 'comes in pages that meet each queue once')],
  'listInvitations data': [cover('server/http/invitations.test.ts', 'a depot’s code is for its drivers')],
  'invite body': [
    cover('server/http/invitations.test.ts', 'whom the master does not know is not invited'),
    cover('server/http/invitations.test.ts', 'it ends with its time, or when it is withdrawn'),
  ],
  'invite data': [cover('server/http/invitations.test.ts', 'a code is for one employee and one sign-up')],
  'withdrawInvitation params': [
    cover('server/http/invitations.test.ts', 'it ends with its time, or when it is withdrawn'),
  ],
  'withdrawInvitation body': [
    cover('server/http/invitations.test.ts', 'it ends with its time, or when it is withdrawn'),
  ],
  'withdrawInvitation data': [
    cover('server/http/invitations.test.ts', 'it ends with its time, or when it is withdrawn'),
  ],
  'revokeDevice params': [cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions')],
  'revokeDevice body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions'),
  ],
  'revokeDevice data': [cover('server/http/ops-devices.test.ts', 'ends the queue, its key and the sessions')],
  'unregisterDriver params': [cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver')],
  'unregisterDriver body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver'),
  ],
  'unregisterDriver data': [cover('server/http/ops-devices.test.ts', 'ends every session and lets the driver')],
  'listIncidents query': [
    cover('server/http/ops-devices.test.ts', 'lists what was noted, newest first', ['state', 'employee']),
    cover('server/http/ops-devices.test.ts', 'can be asked for by kind, route and time, in pages'),
  ],
  'listIncidents data': [cover('server/http/ops-devices.test.ts', 'lists what was noted, newest first')],
  'listIncidents meta': [cover('server/http/ops-devices.test.ts', 'can be asked for by kind, route and time')],
  'acknowledgeIncident params': [cover('server/http/ops-devices.test.ts', 'lists what was noted, newest first')],
  'acknowledgeIncident body': [
    ofItsKind,
    cover('server/http/ops-devices.test.ts', 'lists what was noted, newest first'),
  ],
  'acknowledgeIncident data': [cover('server/http/ops-devices.test.ts', 'lists what was noted, newest first')],

  'readStopHistory query': [cover('host/stop-history.test.ts', 'has every change with its author, its times')],
  'readStopHistory data': [
    cover('host/stop-history.test.ts', 'has every change with its author, its times'),
    cover('host/stop-history.test.ts', 'what could not be applied stands beside it', ['kept']),
    cover('host/stop-history.test.ts', 'what the host refuses is not said to be there', [
      'host',
      'mutations[].on_host',
    ]),
  ],
  'verifyStopHistory query': [cover('host/stop-history.test.ts', 'follows the chain over the other stops')],
  'verifyStopHistory data': [cover('host/stop-history.test.ts', 'follows the chain over the other stops')],

  'listFlags query': [
    cover('server/http/flags.test.ts', 'can be asked for by facility, route and code', [
      'facility',
      'route_id',
      'code',
    ]),
    cover('server/http/flags.test.ts', 'comes in pages that meet each entry once', ['limit', 'cursor']),
  ],
  'listFlags data': [
    cover('server/http/flags.test.ts', 'shows who changed what and what there is to know, newest first'),
  ],
  'listFlags meta': [cover('server/http/flags.test.ts', 'comes in pages that meet each entry once')],

  'listParked query': [cover('host/parking.test.ts', 'the list tells states apart and comes in pages')],
  'listParked data': [cover('host/parking.test.ts', 'a stop that the host refuses is listed')],
  'listParked meta': [cover('host/parking.test.ts', 'the list tells states apart and comes in pages')],
  'retryParked params': [cover('host/parking.test.ts', 'retry: tried at once')],
  'retryParked data': [cover('host/parking.test.ts', 'retry: tried at once')],
  'skipParked params': [cover('host/parking.test.ts', 'skip: the close goes out')],
  'skipParked body': [ofItsKind, cover('host/parking.test.ts', 'skip: the close goes out')],
  'skipParked data': [cover('host/parking.test.ts', 'skip: the close goes out')],
  'repairParked params': [cover('host/parking.test.ts', 'repair: the office corrects the stop')],
  'repairParked body': [
    ofItsKind,
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
    cover('host/ops-replication.test.ts', 'the backlog is told by file and by route'),
    cover('host/ops-replication.test.ts', 'a worker’s breaker and the files that it has paused', ['workers']),
    cover('host/ops-replication.test.ts', 'what is parked counts until somebody skips it', ['parked', 'hold']),
  ],
  'listRouteBacklog query': [cover('host/ops-replication.test.ts', 'the backlog is told by file and by route')],
  'listRouteBacklog data': [cover('host/ops-replication.test.ts', 'the backlog is told by file and by route')],
  'listRouteBacklog meta': [cover('host/ops-replication.test.ts', 'the backlog is told by file and by route')],
};
