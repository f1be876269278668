import { createI18n, type Translation, type Words } from '../../ui/i18n.ts';

/** The page that checks a pack without a server. */
const en = {
  'verify.title': 'Check an evidence pack',
  'verify.lead': 'This page is one file. It runs in your browser alone: it loads nothing, and sends nothing anywhere.',
  'verify.trust': 'Keys that you trust',
  'verify.trustHint':
    'One a line, from /log/keys.json of the server or stored earlier. Without them the signer is unknown.',
  'verify.checkpoint': 'A stored checkpoint',
  'verify.checkpointHint': 'The text of /log/…/checkpoint, from the days of the delivery. It may be left empty.',
  'verify.drop': 'Drop the pack here',
  'verify.choose': 'Choose the pack',
  'verify.again': 'Check another pack',
  'verify.busy': 'Checking {name}',
  'verify.keys': 'A line of the trusted keys is no key.',
  'verify.badCheckpoint': 'The stored checkpoint is no signed checkpoint.',
  'verify.large': 'The file is larger than 256 MiB: check it with the program tailgate-verify.',
  'verify.old': 'This browser cannot check Ed25519 signatures. Take a newer one, or the program tailgate-verify.',
  'verify.unreadable': 'The browser cannot read this file.',
  'verify.forger':
    'A page that came with a pack proves nothing: a forger sends his own. Take it from the package tailgate-verify.',
} as const satisfies Words;

const es: Translation<typeof en> = {
  'verify.title': 'Revisar un paquete de pruebas',
  'verify.lead': 'Esta página es un solo archivo. Corre solo en su navegador: no carga nada y no envía nada.',
  'verify.trust': 'Claves en las que confía',
  'verify.trustHint':
    'Una por línea, de /log/keys.json del servidor o guardadas antes. Sin ellas no se conoce a quien firma.',
  'verify.checkpoint': 'Un punto de control guardado',
  'verify.checkpointHint': 'El texto de /log/…/checkpoint, de los días de la entrega. Puede quedar vacío.',
  'verify.drop': 'Suelte el paquete aquí',
  'verify.choose': 'Elegir el paquete',
  'verify.again': 'Revisar otro paquete',
  'verify.busy': 'Revisando {name}',
  'verify.keys': 'Una línea de las claves no es una clave.',
  'verify.badCheckpoint': 'El punto de control guardado no está firmado como tal.',
  'verify.large': 'El archivo supera 256 MiB: revíselo con el programa tailgate-verify.',
  'verify.old': 'Este navegador no comprueba firmas Ed25519. Use uno más nuevo, o el programa tailgate-verify.',
  'verify.unreadable': 'El navegador no puede leer este archivo.',
  'verify.forger':
    'Una página que llega con un paquete no prueba nada: un falsificador envía la suya. Tómela del paquete tailgate-verify.',
};

export const i18n = createI18n(en, { en: { name: 'English', words: en }, es: { name: 'Español', words: es } });
export const { t } = i18n;
