import multipart from '@fastify/multipart';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from './validation.ts';

/** The bound of a text field. */
export const longestField = 64 * 1024;
const maxParts = 200;

/** Reads multipart/form-data for operations with a form. The handler reads files as streams. */
export async function readForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    // The server splits file names itself, folders included. The slice enforces the limit of a file.
    preservePath: true,
    throwFileSizeLimit: false,
    limits: {
      fileSize: Number.POSITIVE_INFINITY,
      fieldSize: longestField,
      fields: 20,
      fieldNameSize: 100,
      parts: maxParts,
      headerPairs: 50,
    },
  });
}

export interface FormFile {
  readonly kind: 'file';
  readonly field: string;
  /** As in the request. */
  readonly name: string;
  /** The handler must read it before the next part. */
  readonly bytes: AsyncIterable<Buffer>;
}
export interface FormField {
  readonly kind: 'field';
  readonly field: string;
  /** Text, or the parsed value where the sender declared JSON. */
  readonly value: unknown;
}

/**
 * The parts of a form in the order of arrival. A fault of the sender is a 400, for any error of the parser: no
 * boundary, an incomplete form, a broken connection. In the end the rest of the request is read and dropped, because a
 * client that is still sending would miss the answer.
 *
 * @param take receives the length of each piece of the body, also of what no part is made of. An AppError that it
 *   throws refuses the form.
 */
export async function* formParts(
  request: FastifyRequest,
  take: (bytes: number) => void = () => undefined,
): AsyncGenerator<FormFile | FormField, void, undefined> {
  const { raw } = request;
  const count = (piece: Buffer): void => {
    try {
      take(piece.length);
    } catch (error) {
      raw.off('data', count);
      // The parser ends at an error of its source, wherever it is in the form.
      raw.emit('error', error);
    }
  };
  // A listener starts the body in the next turn. The loop connects the parser in this one.
  raw.on('data', count);
  try {
    for await (const part of withUploadErrors(request.parts())) {
      if (part.type === 'field') yield readField(part);
      else
        yield {
          kind: 'file',
          field: part.fieldname,
          name: part.filename ?? '',
          bytes: withUploadErrors<Buffer>(part.file),
        };
    }
  } finally {
    raw.off('data', count);
    raw.unpipe();
    raw.resume();
  }
}

type Part = MultipartFile | MultipartValue;

function readField({ fieldname, value, valueTruncated }: Extract<Part, { type: 'field' }>): FormField {
  if (valueTruncated) {
    throw invalidInput([{ path: fieldname, message: `must not be longer than ${longestField} bytes` }]);
  }
  return { kind: 'field', field: fieldname, value };
}

/** Passes items on, and blames the sender for any error of the source. */
async function* withUploadErrors<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const item = await items.next().catch(refuseForm);
      if (item.done === true) return;
      yield item.value;
    }
  } finally {
    await items.return?.();
  }
}

function refuseForm(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  const tooMuch = cause instanceof Error && 'statusCode' in cause && cause.statusCode === 413;
  if (tooMuch) throw new AppError('TOO_LARGE', { message: 'The form has too many parts.', cause });
  const message = 'The form is broken or incomplete.';
  throw new AppError('VALIDATION_FAILED', { message, details: [{ path: '', message }], cause });
}
