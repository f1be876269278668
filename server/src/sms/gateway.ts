import { appendFile } from 'node:fs/promises';

export interface TextToSend {
  /** The number as the employee master has it. */
  readonly to: string;
  readonly text: string;
}

/** Where text messages go. */
export interface Gateway {
  /** Resolves when the message is taken for good. @throws GatewayError */
  send(message: TextToSend, signal: AbortSignal): Promise<void>;
}

/** Its message holds neither number nor text nor the gateway's address: those may hold secrets. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The same message would be refused again. */
  readonly final: boolean;

  constructor(message: string, { final, cause }: { final: boolean; cause?: unknown }) {
    super(message, { cause });
    this.final = final;
  }
}

/** A gateway that is silent for so long is tried again later. */
const SILENCE_MS = 15_000;

/**
 * A gateway's webhook: a form by POST, as the common ones take it. Number and text stand under the names that Twilio and
 * its likes read (`To`, `Body`) and under those of Vonage and its likes (`to`, `text`). The address may carry user and
 * password, sent as Basic authorization, and behind `#` further fields, such as the sender: `#From=%2B13125550100`.
 *
 * @throws TypeError for an address that is none
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
        // Elsewhere is not where the operator wanted numbers and passwords to go.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]),
      }).catch((cause: unknown) => {
        throw new GatewayError('the gateway cannot be reached', { final: false, cause });
      });
      // What it says besides may repeat the message; nobody reads it.
      await response.body?.cancel();
      if (!response.ok) throw new GatewayError(`the gateway answered ${response.status}`, { final: isFinal(response) });
    },
  };
}

/** Too many requests and time-outs pass, and so does whatever is the gateway's own fault. */
const isFinal = ({ status }: Response): boolean =>
  status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);

/** For trials: a line of JSON a message, in a file that only we can read. */
export function fileGateway(file: string, clock: () => Date): Gateway {
  return {
    send: async ({ to, text }) => {
      const line = JSON.stringify({ to, text, at: clock().toISOString() });
      // In one piece, so that nodes that share the folder do not mix their lines.
      await appendFile(file, `${line}\n`, { mode: 0o600, flush: true });
    },
  };
}
