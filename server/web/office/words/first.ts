import type { Translation, Words } from '../../ui/i18n.ts';

// The decision of another operator who was first, by its operation.

export const en = {
  'first.more':
    'Your own text is still here. Compare it with the present state: until you confirm, the buttons send nothing.',
  'first.confirm': 'I have read it: decide anew',
  'first.confirmed': 'Your next click replaces this decision.',
  'first.changed': '{by} was here first, {time}, and changed this.',
  'first.retryParked': '{by} was here first, {time}, and tries this row again.',
  'first.retryParkedCause': '{by} was here first, {time}, and tries all rows of this cause again.',
  'first.skipParked': '{by} was here first, {time}, and skipped this row.',
  'first.skipParkedCause': '{by} was here first, {time}, and skipped all rows of this cause.',
  'first.repairParked': '{by} was here first, {time}, and repaired this stop.',
  'first.dismissQuarantined': '{by} was here first, {time}, and dismissed this change.',
  'first.releaseQuarantined': '{by} was here first, {time}, and applied this change.',
  'first.beginHold': '{by} was here first, {time}: a hold is in force that lasts as long.',
  'first.endHold': '{by} was here first, {time}, and ended this hold.',
  'first.releaseLegalHold': '{by} was here first, {time}, and released this legal hold.',
  'first.sendProof': '{by} was here first, {time}, and sent a proof of this stop.',
} as const satisfies Words;

export const es: Translation<typeof en> = {
  'first.more': 'Su texto sigue aquí. Compárelo con el estado actual: hasta que confirme, los botones no envían nada.',
  'first.confirm': 'Lo he leído: decidir de nuevo',
  'first.confirmed': 'Su próximo clic reemplaza esta decisión.',
  'first.changed': '{by} llegó primero, {time}, y cambió esto.',
  'first.retryParked': '{by} llegó primero, {time}, y reintenta esta fila.',
  'first.retryParkedCause': '{by} llegó primero, {time}, y reintenta todas las filas de esta causa.',
  'first.skipParked': '{by} llegó primero, {time}, y omitió esta fila.',
  'first.skipParkedCause': '{by} llegó primero, {time}, y omitió todas las filas de esta causa.',
  'first.repairParked': '{by} llegó primero, {time}, y corrigió esta parada.',
  'first.dismissQuarantined': '{by} llegó primero, {time}, y descartó este cambio.',
  'first.releaseQuarantined': '{by} llegó primero, {time}, y aplicó este cambio.',
  'first.beginHold': '{by} llegó primero, {time}: rige una pausa que dura lo mismo.',
  'first.endHold': '{by} llegó primero, {time}, y terminó esta pausa.',
  'first.releaseLegalHold': '{by} llegó primero, {time}, y levantó esta retención legal.',
  'first.sendProof': '{by} llegó primero, {time}, y envió un comprobante de esta parada.',
};
