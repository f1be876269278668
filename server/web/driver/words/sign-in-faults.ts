import { span, t } from './words.ts';

/** Sentences for a refused sign-in: at a field, or for the whole. */
export interface Faults {
  readonly employee?: string;
  readonly password?: string;
  readonly code?: string;
  readonly whole?: string;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

/** The server's refusal in the driver's words, where it has to be mended. */
export function faultsOf({ code, message, retryAfterMs }: Refusal): Faults {
  switch (code) {
    case 'INVALID_CREDENTIALS':
      return { password: t('signIn.wrong') };
    case 'EMPLOYEE_NOT_FOUND':
      return { employee: t('signIn.unknown') };
    case 'ALREADY_REGISTERED':
      return { employee: t('signIn.registered') };
    case 'INVITATION_REQUIRED':
      return { code: t('register.needsCode') };
    case 'RATE_LIMITED':
      return { whole: t('signIn.often', { wait: span(retryAfterMs ?? 60_000) }) };
    default:
      return { whole: t('signIn.other', { why: message }) };
  }
}

export const unreachable = (): string => t('signIn.unreachable');
