import type { Member, PostContent } from '../thread/commands.ts';

export interface AdmitPost {
  readonly member: Member;
  readonly threadId: string;
  readonly content: PostContent;
}
