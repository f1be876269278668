import { WebSocket } from 'ws';
import type { ServerFrame } from '@tailgate/sync-protocol';
import type { Child } from './child.ts';
import type { Phone } from './fleet.ts';

/** A phone's socket that implements the protocol with minimal work of its own. */
export interface PhoneLink {
  readonly socket: WebSocket;
  onFrame: (frame: ServerFrame) => void;
}

/** Connects and sends hello. `onFrame` receives all later frames, the welcome first. */
export function connectPhone(
  child: Child,
  phone: Phone,
  cursors: Record<string, { epoch: string; version: number } | null>,
  onFrame: (frame: ServerFrame) => void,
): PhoneLink {
  const socket = new WebSocket(`ws://127.0.0.1:${child.port}/api/sync`, { perMessageDeflate: false });
  const link: PhoneLink = { socket, onFrame };
  socket.on('message', (data: Buffer) => {
    link.onFrame(readFrame(data.toString()));
  });
  socket.once('open', () => {
    socket.send(
      JSON.stringify({
        type: 'hello',
        protocol: 1,
        client_id: phone.clientId,
        device: 'bench',
        employee_id: phone.employee,
        api_token: phone.token,
        sdk: 'bench',
        app: 'bench',
        clock: { now: new Date().toISOString(), boot_id: 'bench', monotonic_ms: performance.now() },
        cursors,
        pending: phone.items.length,
        oldest_pending_at: null,
      }),
    );
  });
  return link;
}

/** Frames of our own server, unchecked: a check would be the client's work, not the server's. */
const readFrame: (text: string) => ServerFrame = JSON.parse;

export interface PushLimits {
  readonly mutations_per_push: number;
  readonly pushes_in_flight: number;
}

/** Sends a whole queue as fast as the server's limits allow. Resolves when every item is acknowledged. */
export function drainPhone(child: Child, phone: Phone): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = 0;
    let limits: PushLimits = { mutations_per_push: 1, pushes_in_flight: 1 };
    let inFlight = 0;
    const pump = (link: PhoneLink): void => {
      while (inFlight < limits.pushes_in_flight && sent < phone.items.length) {
        const items = phone.items.slice(sent, sent + limits.mutations_per_push);
        sent += items.length;
        inFlight++;
        link.socket.send(`{"type":"push","mutations":[${items.join(',')}]}`);
      }
    };
    const link = connectPhone(child, phone, {}, (frame) => {
      if (frame.type === 'welcome') {
        limits = frame.limits;
        pump(link);
      } else if (frame.type === 'ack') {
        const refused = frame.results.find(({ result }) => result !== 'applied');
        if (refused ?? frame.wants ?? frame.fork)
          return reject(new Error(`not applied: ${JSON.stringify(refused ?? frame)}`));
        answered += frame.results.length;
        inFlight--;
        pump(link);
        if (answered === phone.items.length) {
          link.socket.terminate();
          resolve();
        }
      } else if (frame.type === 'reject' || frame.type === 'error') reject(new Error(JSON.stringify(frame)));
    });
    link.socket.once('error', reject);
  });
}
