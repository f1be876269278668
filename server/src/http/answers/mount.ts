import { pathSets, type Operation } from '@tailgate/sync-protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Driver } from '../../auth/sessions.ts';
import type { AccessOptions, OpsCaller } from '../../wire/access.ts';
import { gateOf } from '../../wire/access.ts';
import { contentTag, matchesEtag } from './conditional.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RawAnswer } from './raw-answer.ts';
import { RenderedAnswer, sendRendered } from './rendered.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The driver, where the operation requires one. */
    driver: Driver | undefined;
    /** The operator or program, where the operation is the operators'. */
    ops: OpsCaller | undefined;
  }
}

/**
 * The bound of a body without credentials: a name and two passwords fit, and a flood of bodies does not fill the
 * memory.
 */
const longestPublicBody = 64 * 1024;

/**
 * Mounts every operation on its path sets. The gate checks credentials before the body is read: an unauthenticated body
 * of 5 MiB is not worth parsing, and missing credentials come before any other fault (contract §1).
 */
export function mount(
  app: FastifyInstance,
  endpoints: Readonly<Record<string, Endpoint>>,
  options: AccessOptions,
): void {
  app.decorateRequest('driver', undefined);
  app.decorateRequest('ops', undefined);
  const all = Object.values(endpoints);
  for (const { operation, answer } of all) {
    const isList = all.some(({ operation: { method, path } }) => {
      return method === operation.method && isOneOf(operation.path, path);
    });
    const gate = gateOf(operation, options);
    for (const paths of operation.sets) {
      app.route({
        method: operation.method,
        url: pathSets[paths] + operation.path,
        ...(operation.access === 'public' && { bodyLimit: longestPublicBody }),
        onRequest: async (request) => {
          // The router ignores a trailing slash (build.ts). But a request for one thing without its name must not get
          // the list.
          if (isList && hasTrailingSlash(request)) throw new AppError('NOT_FOUND');
          const { driver, ops } = await gate(request);
          request.driver = driver;
          request.ops = ops;
          // An absent body has no type: some clients declare a form and send no body.
          if (operation.form === undefined && !hasBody(request)) delete request.headers['content-type'];
          const isRead = operation.method !== 'GET' && hasBody(request);
          if (isRead && isForm(request) !== (operation.form !== undefined))
            throw new AppError('UNSUPPORTED_MEDIA_TYPE');
        },
        handler: async (request, reply) => sendAnswer(operation, await answer(request, paths), request, reply),
      });
    }
  }
}

/** `/things` and `/things/:id`. */
const isOneOf = (list: string, path: string): boolean =>
  path.startsWith(`${list}/:`) && !path.includes('/', list.length + 1);

const hasTrailingSlash = ({ url }: FastifyRequest): boolean => /^[^?]*\/(?:\?|$)/.test(url);

const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\/form-data(?:;|$)/i.test(headers['content-type'] ?? '');
const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']);

function sendAnswer(
  { message: ownMessage, requestHeaders }: Operation<unknown, unknown, unknown>,
  answer: Answer<unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  if (answer instanceof RawAnswer) return reply.code(answer.status).headers(answer.headers).send(answer.body);
  const { data, message = ownMessage, meta, headers = {} } = answer;
  void reply.headers(headers);
  if (data instanceof RenderedAnswer) return sendRendered(data, request, reply);
  const etag = answer.etag ?? (requestHeaders?.includes('if-none-match') ? contentTag([data, meta]) : undefined);
  if (etag !== undefined) {
    void reply.header('etag', etag);
    if (matchesEtag(request, etag)) return reply.code(304).send();
  }
  return { success: true, message, data, ...(meta !== undefined && { meta }) };
}
