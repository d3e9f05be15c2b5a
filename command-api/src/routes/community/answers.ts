import { postAt, threadPath, threadSlug, type ThreadState, type ThreadWriteAnswer } from '@alpenglow/domain';

/** What a write to a post is answered with. The address of a thread whose opening post is not to be seen has no word of its title. */
export function written(message: string, state: ThreadState, number: number): ThreadWriteAnswer {
  if (!state) throw new Error('A thread that was written to is there');
  const { threadId: id, place, posts } = state;
  const title = postAt(posts, 0)?.status === 'visible' ? state.title : '';
  return {
    success: true,
    message,
    data: { id, number, slug: threadSlug({ id, title }), path: threadPath({ id, ...place, title }) },
  };
}
