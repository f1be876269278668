import type { Translation } from '../../ui/i18n.ts';
import type { enDay } from './en-day.ts';

/** Words of the inbox, the day's end, the phone and support in Spanish. */
export const esDay: Translation<typeof enDay> = {
  // The day's end
  'day.all': 'Todo está en la oficina',
  'day.notAll': 'Aún no está todo en la oficina',
  'day.nothing': 'Nada espera en este teléfono',
  'day.onItsWay': 'El resto está en camino.',
  'day.waitsForNetwork': 'El resto va por sí solo cuando haya red.',
  'day.places': 'Dónde está su día',
  'day.here': 'solo en este teléfono',
  'day.atServer': 'esperan en el servidor',
  'day.atOffice': { one: 'parada en la oficina', other: 'paradas en la oficina' },
  'day.missing': 'Lo que falta',
  'day.oldest': 'lo más antiguo primero',
  'day.stop': 'Parada {n}, {name}',
  'day.photo': 'foto {n} de {total}',
  'day.onePhoto': 'foto',
  'day.file': 'archivo',
  'day.otherChanges': { one: '{n} cambio más', other: '{n} cambios más' },
  'day.onPhone': 'En este teléfono.',
  'day.onPhoneSince': 'En este teléfono desde las {time}.',
  'day.onServer': 'En el servidor.',
  'day.onServerSince': 'En el servidor desde las {time}.',
  'day.failed': 'No se puede enviar: {why} Tómela de nuevo o llame a la oficina.',
  'day.also': 'También en este teléfono',
  'day.other': { one: '{name}, {n} cosa', other: '{name}, {n} cosas' },
  'day.otherSignIn': 'Esperan a que {name} entre aquí una vez.',
  'day.otherGoes': 'Van por sí solas, con ese nombre.',
  'day.handOver': 'Pasar a otro teléfono',
  'day.losesNothingOf': {
    one: 'Al salir no se pierde nada. {n} cosa sigue su camino sola.',
    other: 'Al salir no se pierde nada. {n} cosas siguen su camino solas.',
  },
  'size.kb': '{n} kB',
  'size.mb': '{n} MB',

  // The phone
  'phone.title': 'Este teléfono',
  'phone.clockRight': 'El reloj es correcto.',
  'phone.clockUnknown': 'El reloj se compara cuando haya red.',
  'phone.room': { one: 'Hay espacio para {n} foto más.', other: 'Hay espacio para unas {n} fotos más.' },
  'phone.roomWhy': 'Borre otra cosa de este teléfono; nada de su trabajo se borra.',
  'phone.kept': 'Los datos se conservan hasta que usted los borre.',
  'phone.notKept': 'El navegador puede borrar los datos si falta espacio. En la pantalla de inicio se conservan.',

  // Support
  'support.title': 'Código de soporte',
  'support.why': 'Muestre el código a soporte, o lea las líneas. No contiene contraseñas, nombres ni entregas.',
  'support.code': 'Código para soporte',
  'support.text': 'Lo mismo como texto',
  'support.copy': 'Copiar todos los detalles',
  'support.copied': 'Copiado',
  'signIn.goes': { one: '{n} cambio de {name} está en camino.', other: '{n} cambios de {name} están en camino.' },
  'signIn.goesWhy': 'Van por sí solos cuando haya red; no hace falta entrar.',
};
