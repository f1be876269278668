import { href } from '../ui/router.ts';
import { warehouse } from './model/order.ts';

/** The addresses of the app's pages. */
export const links = {
  route: href(),
  /** The warehouse has a page of its own. */
  stop: (id: number) => (id === warehouse ? href('close') : href('stop', id)),
  line: (id: number, key: string) => href('stop', id, 'line', key),
  returns: (id: number, key: string) => href('stop', id, 'return', key),
  sign: (id: number) => href('stop', id, 'sign'),
  scan: (id: number) => href('stop', id, 'scan'),
  overage: (id: number, place: number) => href('stop', id, 'overage', place),
  more: (id: number) => href('stop', id, 'more'),
  skip: (id: number) => href('stop', id, 'skip'),
  refuse: (id: number) => href('stop', id, 'refuse'),
  photos: (id: number) => href('stop', id, 'photos'),
  comment: (id: number) => href('stop', id, 'comment'),
  history: (id: number) => href('stop', id, 'history'),
  stopWhere: (id: number) => href('stop', id, 'where'),
  /** The three sentences of a stop's ticks, over the list. */
  where: (id: number) => href('where', id),
  /** The same right after recording, with the undo. */
  done: (id: number) => href('done', id),
  counts: (id: number) => href('stop', id, 'counts'),
  close: href('close'),
  load: href('load'),
  /** The note of one section of a load condition report. */
  loadSection: (kind: 'leave' | 'return', key: string) => href(kind === 'leave' ? 'load' : 'close', key),
  scanTab: href('scan'),
  inbox: href('inbox'),
  day: href('day'),
  support: href('day', 'support'),
  handOver: href('hand-over'),
  takeOver: href('take-over'),
  display: href('display'),
  register: href('register'),
  signIn: href('sign-in'),
};
