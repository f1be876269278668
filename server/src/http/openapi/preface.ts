// The parts of the OpenAPI document beside its operations.

export const about = `
Offline-first proof of delivery: drivers sign in, fetch their route and record the results of each stop.

**Path sets.** \`/api/…\` and \`/api/v20/…\` are listed side by side. The same suffix has the same meaning; if the
shapes differ, each path shows its own. A suffix that a set does not list is 404.

**Envelope.** \`{success, message, data}\`; after a failure \`data\` is null and \`error\` contains
\`{code, details: [{path, message}], request_id}\`. Programs should branch on \`code\`. Every answer
carries \`x-request-id\`.

**Try it.** Sign up or sign in, press *Authorize*, and enter the employee id and the token of the answer. The server
also accepts \`employee-id\` and \`api-token\`, for proxies that drop names with underscores.

**Fields.** The server ignores unknown fields of a request. An absent field means no change; null or \`""\` clears it,
except evidence such as a signature. Answers may get new fields later. Lengths of text are characters (Unicode code
points). The server refuses text with NUL or half of a surrogate pair.

The sync channel, a WebSocket on \`/api/sync\`, has a document of its own: \`asyncapi.json\`, shown at \`/docs/channel\`.
`.trim();

const areas: Readonly<Record<string, { name: string; description: string }>> = {
  auth: { name: 'Sign-in', description: 'Users, sessions and tokens.' },
  cell: { name: 'Cells', description: 'Addresses of cells. On the unprefixed set only.' },
  route: { name: 'Routes and stops', description: 'Routes of a driver, and results of their stops.' },
  assets: { name: 'Assets', description: 'Photos, signatures, any file. On the prefixed set only.' },
  control: { name: 'Code lists', description: 'For dropdowns. On the prefixed set only.' },
  report: { name: 'Load condition reports', description: 'On the unprefixed set only.' },
  health: { name: 'Health', description: 'For load balancers and operators.' },
  evidence: { name: 'Evidence', description: 'For the recipient of a link, who has no account.' },
  ops: { name: 'Operators', description: 'For the office: operators with a session, and programs with the ops token.' },
};
export const tags = Object.values(areas);

/** The area of an operation, from the first segment of its path. */
export function tagOf(path: string): string {
  const area = areas[path.split('/')[1] ?? ''];
  if (!area) throw new Error(`${path} belongs to no area: name one in preface.ts`);
  return area.name;
}

export const securitySchemes = {
  employee_id: {
    type: 'apiKey',
    in: 'header',
    name: 'employee_id',
    description: 'Employee id of the caller. Both headers are required.',
  },
  api_token: { type: 'apiKey', in: 'header', name: 'api_token', description: 'From sign-up or sign-in.' },
  ops_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Of an operator: the token of `POST /api/ops/sessions`. Of a program: `OPS_TOKEN`, which includes every role. If it is unset, the first start generates and prints one.',
  },
};

export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeated request have one effect. The same key with other content is 409. The server stores keys for 30 days.',
    schema: { type: 'string', maxLength: 200 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: 304 if nothing has changed.',
    schema: { type: 'string' },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'A part of the file, such as `bytes=0-1023`.',
    schema: { type: 'string' },
  },
};

export const headers = {
  RequestId: { description: 'Identifies the request in the logs.', required: true, schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds.', required: true, schema: { type: 'string', pattern: '^\\d+$' } },
  ETag: { description: 'Entity tag of this answer.', required: true, schema: { type: 'string' } },
  ContentRange: { description: 'Range and total size in bytes.', required: true, schema: { type: 'string' } },
};
