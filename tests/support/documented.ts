import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod/mini';

// Compares every answer with docs/openapi.json: an undocumented path, status, header or field is a fault.

const response = z.object({
  headers: z.optional(z.record(z.string(), z.object({ $ref: z.string() }))),
  content: z.optional(z.record(z.string(), z.object({ schema: z.unknown(), example: z.optional(z.unknown()) }))),
});
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        requestBody: z.optional(z.object({ content: z.record(z.string(), z.unknown()) })),
        responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), response])),
      }),
    ),
  ),
  components: z.object({
    responses: z.record(z.string(), response),
    headers: z.record(z.string(), z.object({ required: z.optional(z.boolean()) })),
  }),
});
type ResponseObject = z.infer<typeof response>;

const written: unknown = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const document = documentSchema.parse(written);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// Published schemas are open, for fields of newer servers; an answer of this server has no field too many.
ajv.addSchema(closed(z.record(z.string(), z.unknown()).parse(written)), 'openapi');

export interface SeenAnswer {
  readonly method: string;
  /** With or without a query. */
  readonly url: string;
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  /** Undefined where there is none, or where it was not read. */
  readonly body: unknown;
}

/** The undocumented parts of an answer; empty for a documented one. */
export function undocumented({ method, url, status, headers, body }: SeenAnswer): string[] {
  // As the router reads it: characters that no client sends end a path, too.
  const [path = ''] = url.split(/[?#]/);
  if (!/^\/api(\/|$)/.test(path) || /^\/api\/sync(\/|$)/.test(path) || method === 'OPTIONS') return [];
  const place = `${method} ${path} ${status}`;
  // A trailing slash is ignored on a known path.
  const found = find(method, status === 404 ? path : path.replace(/\/$/, ''));
  if (!found) return validate('#/components/schemas/Error', body).map((fault) => `${place}: ${fault}`);
  const listed = found.operation.responses[status];
  if (!listed) return [`${place} is not in docs/openapi.json; if it should be: npm run openapi`];
  const [pointer, answer] = resolved(`${found.pointer}/responses/${status}`, listed);
  return [
    ...missingHeaders(answer, headers),
    ...wrongContent(pointer, answer, headers.get('content-type'), method === 'HEAD' ? undefined : body),
  ].map((fault) => `${place}: ${fault}`);
}

/** The undocumented parts of a request's body. */
export function undocumentedBody(method: string, path: string, body: unknown): string[] {
  const { operation, pointer } = find(method, path) ?? {};
  const [type] = Object.keys(operation?.requestBody?.content ?? {});
  if (type === undefined) return body === undefined ? [] : ['a body that is not documented'];
  return validate(`${pointer}/requestBody/content/${escaped(type)}/schema`, body);
}

function find(method: string, path: string) {
  // A GET answers HEAD with the same headers.
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  for (const { template, pattern, item } of places) {
    const operation = item[verb];
    if (operation && pattern.test(path)) return { pointer: `#/paths/${escaped(template)}/${verb}`, operation };
  }
  return undefined;
}

const places = Object.entries(document.paths).map(([template, item]) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  item,
}));
const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

function resolved(pointer: string, listed: { $ref: string } | ResponseObject): [string, ResponseObject] {
  if (!('$ref' in listed)) return [pointer, listed];
  const shared = document.components.responses[listed.$ref.split('/').at(-1) ?? ''];
  if (!shared) throw new Error(`${listed.$ref} is not in docs/openapi.json`);
  return [listed.$ref, shared];
}

const missingHeaders = ({ headers: listed = {} }: ResponseObject, headers: SeenAnswer['headers']): string[] =>
  Object.entries(listed)
    .filter(([, { $ref }]) => document.components.headers[$ref.split('/').at(-1) ?? '']?.required)
    .filter(([name]) => headers.get(name) === null)
    .map(([name]) => `lacks the header ${name}`);

function wrongContent(pointer: string, { content = {} }: ResponseObject, type: string | null, body: unknown): string[] {
  const essence = type?.split(';')[0];
  if (essence === undefined) return Object.keys(content).length > 0 ? ['says nothing of its content'] : [];
  if ('*/*' in content) return [];
  if (!(essence in content)) return [`answers ${essence}, which is not documented`];
  if (body === undefined || essence !== 'application/json') return [];
  return validate(`${pointer}/content/${escaped(essence)}/schema`, body);
}

function validate(pointer: string, body: unknown): string[] {
  const check = ajv.getSchema(`openapi${pointer}`);
  if (!check) throw new Error(`docs/openapi.json has no ${pointer}`);
  if (check(body)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
  );
}

/** The document with objects that hold their named properties and nothing else. */
function closed(part: Record<string, unknown>): Record<string, unknown> {
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closedValue(value)]));
  const isSchema = 'properties' in part && !('additionalProperties' in part);
  return isSchema ? { ...inner, additionalProperties: false } : inner;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  return typeof value === 'object' && value !== null ? closed({ ...value }) : value;
}
