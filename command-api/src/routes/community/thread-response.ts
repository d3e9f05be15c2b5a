import {
  findPost,
  hideContactDetails,
  threadPath,
  threadSlug,
  type ThreadState,
  type ResponseOf,
} from '@alpenglow/domain';

/**
 * Returns the response body for an operation that changed a post. The body contains the URL of the thread, which
 * includes the title only if the opening post is visible.
 */
export function createThreadResponse(message: string, state: ThreadState, number: number): ResponseOf<'startThread'> {
  if (!state) throw new Error('The thread does not exist after the write');
  const { threadId: id, place, posts } = state;
  const title = findPost(posts, 0)?.status === 'visible' ? hideContactDetails(state.title) : '';
  return {
    success: true,
    message,
    data: { id, number, slug: threadSlug({ id, title }), path: threadPath({ id, ...place, title }) },
  };
}
