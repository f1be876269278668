import { parentPort, type MessagePort } from 'node:worker_threads';
import type { StopEvidence } from '../evidence.ts';
import type { Answer, Request } from './in-worker.ts';
import { renderEvidence, type Sources } from './render.ts';

// The thread that renders one document for `renderInWorker`.

/** The answer of one kind. */
type AnswerTo<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>;

async function render(port: MessagePort): Promise<void> {
  const answers = new Map<Answer['kind'], (answer: Answer) => void>();
  port.on('message', (answer: Answer) => answers.get(answer.kind)?.(answer));
  const isOf = <Kind extends Answer['kind']>(kind: Kind, answer: Answer): answer is AnswerTo<Kind> =>
    answer.kind === kind;
  const ask = <Kind extends Answer['kind']>(request: Request & { readonly kind: Kind }): Promise<AnswerTo<Kind>> =>
    new Promise((resolve) => {
      answers.set(request.kind, (answer) => {
        if (isOf<Kind>(request.kind, answer)) resolve(answer);
      });
      port.postMessage(request);
    });

  const stops = async function* (): AsyncGenerator<StopEvidence> {
    for (;;) {
      const { stop } = await ask({ kind: 'stop' });
      if (!stop) return;
      yield stop;
    }
  };
  const picture: Sources['picture'] = async (file) => (await ask({ kind: 'picture', file })).bytes;
  // The key stays with the server.
  const sign = async (digest: Uint8Array): Promise<Uint8Array> => (await ask({ kind: 'sign', digest })).signature;
  const { cover } = await ask({ kind: 'cover' });
  const sources = { stops: stops(), picture, sign };
  for await (const bytes of renderEvidence(cover, sources)) await ask({ kind: 'bytes', bytes });
  port.postMessage({ kind: 'end' } satisfies Request);
  port.close();
}

if (parentPort) await render(parentPort);
