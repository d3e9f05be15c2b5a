import { CONTACT_EMAIL } from '@alpenglow/ui';
import type { ReactNode } from 'react';

/** The operator's address as a text's `{email}` and `<mail>`. */
export const MAIL_VALUES = { email: CONTACT_EMAIL } as const;

export function MailLink({ children }: { readonly children?: ReactNode }) {
  return <a href={`mailto:${CONTACT_EMAIL}`}>{children}</a>;
}
