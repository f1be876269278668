import type { Translation } from '../../ui/i18n.ts';
import type { enWhere } from './en-where.ts';

/** Words of the place of a change in Spanish. */
export const esWhere: Translation<typeof enWhere> = {
  'where.title': '¿Dónde está ahora esta entrega?',
  'where.titleChange': '¿Dónde está ahora este cambio?',
  'where.three': 'Las tres marcas',
  'where.phone': 'En este teléfono',
  'where.phoneWhy': 'Guardado {time}. Resiste un reinicio o una batería vacía.',
  'where.saving': 'Guardando en este teléfono',
  'where.savingWhy': 'Tarda un momento. No apague el teléfono.',
  'where.server': 'En el servidor',
  'where.serverWhy': 'Llegó {time}.',
  'where.serverPart': 'En el servidor, en parte',
  'where.serverPartWhy': {
    one: 'La parada llegó {time}. {n} archivo sigue aquí y va por sí solo.',
    other: 'La parada llegó {time}. {n} archivos siguen aquí y van por sí solos.',
  },
  'where.notServer': 'Aún no está en el servidor',
  'where.notServerOff': 'Va por sí solo cuando haya red.',
  'where.notServerOn': 'Va por sí solo en un momento.',
  'where.notServerUndo': 'Va en {wait}. Hasta entonces puede deshacerlo.',
  'where.office': 'En la oficina',
  'where.officeWhy': 'En la oficina desde {time}. No queda nada por hacer.',
  'where.notOffice': 'Aún no está en la oficina',
  'where.notOfficeWhy': 'Escribe cada parada en cosa de un minuto. No tiene que hacer nada.',
  'where.trial': 'No se envía a la oficina',
  'where.trialWhy':
    'Su centro solo prueba esta aplicación: su sistema actual tiene registrada esta parada. Aquí no queda nada por hacer.',
  'where.look': 'La oficina lo está revisando',
  'where.lookKept': 'Se conserva tal como lo registró.',
  'where.lookSaid': 'En palabras del servidor: {why}',
  'where.parked': 'La oficina rechaza un valor. Alguien allí lo revisa; usted no tiene que hacer nada.',
  'where.files': 'Sus archivos',
  'where.signature': 'Firma',
  'where.photo': 'Foto {n}',
  'where.sent': '{n} % en camino',
  'where.failed': 'No se puede enviar: {why}',
  'where.lookDone': 'La oficina lo apartó: {why}',
  'where.trace': 'Para soporte: parada {n}, rastro',
  'where.elsewhere': 'Registrado en otro lugar',
  'where.elsewhereWhy':
    'En otro teléfono, o en la oficina. Este teléfono no tiene registro propio; lo tiene el servidor.',

  // Ticks without a known time
  'where.phonePlain': 'Resiste un reinicio o una batería vacía.',
  'where.serverPlain': 'Ha llegado.',
  'where.serverElsewhere': 'La parada ha llegado. Un archivo sigue en un teléfono.',
  'where.officePlain': 'La oficina lo lee. No queda nada por hacer.',
  'where.officeFile': 'La oficina lo lee, todavía sin un archivo.',
  'where.fileHere': 'En el servidor desde {time}.',
  'where.fileElsewhere': 'No está en este teléfono: quizá sigue en otro.',
  'where.fileWaits': 'En este teléfono. Va por sí solo.',

  // The proof of a stop
  'proof.title': 'Comprobante de esta parada',
  'proof.about': 'Un PDF firmado para el cliente: qué llegó, cuándo, quién firmó, las fotos.',
  'proof.get': 'Pedir el comprobante',
  'proof.busy': 'El servidor lo prepara.',
  'proof.ready': '{name} está listo.',
  'proof.share': 'Compartir o guardar',
  'proof.saved': '{name} está en las descargas de este teléfono.',
  'proof.offline': 'Necesita red. Intente de nuevo donde la haya.',
  'proof.signIn': 'El servidor pide que inicie sesión de nuevo.',
  'proof.notYet': 'La oficina aún no tiene toda esta parada. Intente de nuevo en un minuto.',
  'proof.trial':
    'Su centro solo prueba esta aplicación: su sistema actual tiene registrada esta parada y da su comprobante.',
  'proof.notYours': 'La oficina dio esta ruta a otro conductor.',
  'proof.many': 'Fueron muchos comprobantes en una hora. Intente más tarde.',

  // Why the server could not apply a change
  'review.VALIDATION_FAILED': 'Uno de sus valores no cumple las reglas del servidor.',
  'review.UNKNOWN_MUTATION': 'El servidor aún no conoce este tipo de cambio.',
  'review.ROUTE_NOT_FOUND': 'El servidor no tiene esta ruta.',
  'review.STOP_NOT_FOUND': 'El servidor no tiene esta parada en la ruta.',
  'review.NOT_ASSIGNED': 'La oficina no lo tenía a usted en esta ruta.',
  'review.CLIENT_REVOKED': 'La oficina había terminado su registro antes de que llegara.',
  'review.ID_REUSED': 'Otro cambio llegó antes con el mismo número.',
  'review.INTERNAL': 'El servidor tuvo un fallo propio con él.',
  'review.other': 'El servidor no pudo aplicarlo.',
};
