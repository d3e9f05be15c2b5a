import type { NewConsent } from './fields.ts';

export interface RecordConsent extends Pick<NewConsent, 'kind' | 'textVersion' | 'choice'> {
  readonly subjectId: string;
}
