import type { Evidence } from '../moderation/state.ts';
import type { Subject } from '../moderation/subject.ts';
import type { NewReport, ReportReason } from './fields.ts';

export interface FileReport extends Omit<NewReport, 'subject' | 'reason'> {
  readonly subject: Subject;
  readonly reportId: string;
  readonly reason: ReportReason;
  /** The account of the reporter. Null for a person without a login, and for reports by the product itself. */
  readonly reporterId: string | null;
  /** The account that owns the content. Null for content of the operator of the site, e.g. an article. */
  readonly ownerId: string | null;
  /** The version of the content that was reported. */
  readonly evidence: Evidence;
  /** The weight of the report (`weight.ts`). The default is the full weight. */
  readonly weight?: number;
}
