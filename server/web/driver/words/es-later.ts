import type { Translation } from '../../ui/i18n.ts';
import type { enLater } from './en-later.ts';

export const esLater: Translation<typeof enLater> = {
  // A start that fails
  'start.title': 'La aplicación aún no puede abrirse',
  'start.inUse': 'Otra ventana tiene abierta la aplicación y no responde.',
  'start.inUseDo': 'Cierre la otra ventana o reinicie el teléfono. Después, inténtelo otra vez.',
  'start.denied': 'Este navegador no deja que la aplicación guarde datos en el teléfono.',
  'start.deniedDo':
    'Permita los datos de esta página en los ajustes del navegador y salga de la navegación privada. Después, inténtelo otra vez. Sin eso, una entrega se perdería con la página.',
  'start.full': 'El teléfono está lleno.',
  'start.fullDo':
    'Borre otra cosa en este teléfono, por ejemplo vídeos. Después, inténtelo otra vez. No se borra nada de su trabajo.',
  'start.newer': 'Los datos de este teléfono son de una versión más nueva de la aplicación.',
  'start.newerDo':
    'Conéctese a una red e inténtelo otra vez, para que se cargue la versión más nueva. Su trabajo sigue en el teléfono.',
  'start.slow': 'La memoria del teléfono no responde.',
  'start.slowDo':
    'Cierre las otras ventanas de la aplicación. Si no ayuda, reinicie el teléfono. La aplicación se abre sola en cuanto responda.',
  'start.other': 'Algo falló al abrir la aplicación.',
  'start.otherDo': 'Inténtelo otra vez. Si vuelve a pasar, llame a la oficina y lea las líneas de abajo.',
  'start.kept': 'Lo que registró sigue en este teléfono.',
  'start.again': 'Intentar otra vez',
  'start.support': 'Para soporte',

  // The sample route
  'sample.title': 'Ruta de muestra',
  'sample.ribbon': 'Nada sale de este teléfono',
  'sample.on': 'Red activa',
  'sample.off': 'Red apagada',
  'sample.tipOff': 'Apague la red y entregue. Todo queda guardado y sale cuando vuelve la red.',
  'sample.tipOffice':
    'Tras su tercera entrega, la oficina cambia una parada y un ayudante cambia la siguiente. Mire los avisos.',
  'sample.tipScan': '¿No hay mercancía que escanear? Escriba {code} en la pantalla de escaneo de la parada 2.',
  'sample.tipKill': 'Cierre esta página en mitad de una parada y ábrala otra vez.',
  'sample.again': 'Empezar de nuevo',
  'sample.leave': 'Salir',
  'sample.signIn': 'Entrar como {name}',
  'sample.signInWhy': 'Esta es una ruta de muestra: no necesita contraseña.',
};
