import { appendFile } from 'node:fs/promises';

export interface TextToSend {
  /** The number in the employee master. */
  readonly to: string;
  readonly text: string;
}

/** Sends text messages. */
export interface Gateway {
  /** Resolves when the gateway has accepted the message permanently. @throws GatewayError */
  send(message: TextToSend, signal: AbortSignal): Promise<void>;
}

/** Its message contains neither number nor text nor the gateway's address: those may contain secrets. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The gateway would refuse the same message again. */
  readonly final: boolean;

  constructor(message: string, { final, cause }: { final: boolean; cause?: unknown }) {
    super(message, { cause });
    this.final = final;
  }
}

/** A gateway without an answer for this long is tried again later. */
const SILENCE_MS = 15_000;

/**
 * A gateway's webhook: a form by POST, in the common format. Number and text are there under the names of Twilio and
 * similar services (`To`, `Body`) and of Vonage and similar ones (`to`, `text`). The address may contain user and password,
 * sent as Basic authorization, and behind `#` further fields, such as the sender: `#From=%2B13125550100`.
 *
 * @throws TypeError for an invalid address
 */
export function webhookGateway(address: string): Gateway {
  const url = new URL(address);
  const fields = [...new URLSearchParams(url.hash.slice(1))];
  const user = [url.username, url.password].map(decodeURIComponent).join(':');
  const authorization = url.username === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
  url.username = '';
  url.password = '';
  url.hash = '';

  return {
    send: async ({ to, text }, signal) => {
      const body = new URLSearchParams([...fields, ['To', to], ['Body', text], ['to', to], ['text', text]]);
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: authorization,
        // The operator did not intend numbers and passwords for another address.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]),
      }).catch((cause: unknown) => {
        throw new GatewayError('the gateway cannot be reached', { final: false, cause });
      });
      // The rest of the answer may repeat the message: it is not read.
      await response.body?.cancel();
      if (!response.ok) throw new GatewayError(`the gateway answered ${response.status}`, { final: isFinal(response) });
    },
  };
}

/** Too many requests and time-outs pass, and so do the gateway's own faults. */
const isFinal = ({ status }: Response): boolean =>
  status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);

/** For trials: a line of JSON a message, in a file with mode 600. */
export function fileGateway(file: string, clock: () => Date): Gateway {
  return {
    send: async ({ to, text }) => {
      const line = JSON.stringify({ to, text, at: clock().toISOString() });
      // In one piece, so that nodes that share the folder do not mix their lines.
      await appendFile(file, `${line}\n`, { mode: 0o600, flush: true });
    },
  };
}
