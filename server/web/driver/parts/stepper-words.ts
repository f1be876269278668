import type { StepperWords } from '../../ui/parts/stepper.tsx';
import { t } from '../words/words.ts';

export const stepperWords = (): StepperWords => ({
  less: t('count.minus'),
  more: t('count.plus'),
  type: t('count.type'),
  erase: t('count.erase'),
  done: t('count.done'),
});
