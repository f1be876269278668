import { createI18n, type Translation, type Words } from '../../ui/i18n.ts';

/** The page of a recipient. */
const en = {
  'take.title': 'Evidence of a delivery',
  'take.lead': 'Somebody at the carrier has sent you this link. It gives you one file, once.',
  'take.contents':
    'The file has a PDF for people, the recorded changes, the files, and how to check them without this server.',
  'take.act': 'Take the file',
  'take.busy': 'Taking it',
  'take.done': 'The file {name} is saved. This link is used now.',
  'take.check': 'Check it by its VERIFY.txt, with programs of others.',
  'take.page': 'Save the page that checks it',
  'take.again': 'Save it again',
  'take.gone': 'This link was used, revoked or has expired. Ask its sender for another one.',
  'take.none': 'This address is not complete. Open the whole link that you received.',
  'take.wait': 'Too many requests. Try again in a minute.',
  'take.unreachable':
    'The server does not answer, or the transfer broke. If the link is used now, ask its sender for another one.',
} as const satisfies Words;

const es: Translation<typeof en> = {
  'take.title': 'Prueba de una entrega',
  'take.lead': 'Alguien del transportista le ha enviado este enlace. Le da un archivo, una sola vez.',
  'take.contents':
    'El archivo tiene un PDF para personas, los cambios registrados, los archivos y cómo revisarlos sin este servidor.',
  'take.act': 'Tomar el archivo',
  'take.busy': 'Tomándolo',
  'take.done': 'El archivo {name} está guardado. Este enlace ya está usado.',
  'take.check': 'Revíselo según su VERIFY.txt, con programas de otros.',
  'take.page': 'Guardar la página que lo revisa',
  'take.again': 'Guardarlo otra vez',
  'take.gone': 'Este enlace se usó, se anuló o caducó. Pida otro a quien se lo envió.',
  'take.none': 'Esta dirección no está completa. Abra el enlace entero que recibió.',
  'take.wait': 'Demasiadas peticiones. Inténtelo en un minuto.',
  'take.unreachable':
    'El servidor no responde, o la transferencia se cortó. Si el enlace ya está usado, pida otro a quien se lo envió.',
};

export const i18n = createI18n(en, { en: { name: 'English', words: en }, es: { name: 'Español', words: es } });
export const { t } = i18n;
