import { DomainError, helpful, toPostId, thread } from '@alpenglow/domain';
import { requireVisiblePostAuthor, deletePost, editPost, markHelpful, unmarkHelpful } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setPosition, setRevision } from '@alpenglow/infra';
import { duplicateWindowStart } from './admission.ts';
import { createOrigin } from '../../origin.ts';
import { createThreadResponse } from './thread-response.ts';
import { requireVisible, parsePostText } from './post-text.ts';
import { createMember, type CommunityDependencies } from './requests.ts';

/** The operations to change and delete one's own posts in the community, and to mark the posts of others as helpful. */
export function postRoutes({ commands, authentication, community }: CommunityDependencies) {
  const router = createOperationRouter();

  router.on('editPost', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId, number } = getPath(req);
    const member = createMember(principal);
    const { title, body } = getInput(req);
    if (title !== undefined) requireVisible('title', title);
    const words = parsePostText(body);
    const postId = toPostId(threadId, number);
    // An edited text is also checked for duplicates, because an author could otherwise change a harmless post into a
    // copy of another post.
    const isDuplicate =
      words.isLong &&
      (await community.isPosted(words.fingerprint, duplicateWindowStart(new Date().toISOString()), postId));
    const handled = await commands.handle(
      thread,
      threadId,
      (state, context) => {
        const events = editPost({ member, number, title, content: words }, state, context);
        if (isDuplicate) throw new DomainError('DUPLICATE_TEXT');
        return events;
      },
      createOrigin(principal, res),
    );
    setRevision(res, handled);
    res.json(createThreadResponse('Post updated', handled.state, number));
  });

  router.on('deletePost', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId, number } = getPath(req);
    const command = { number, member: createMember(principal) };
    const handled = await commands.execute(thread, threadId, deletePost, command, createOrigin(principal, res));
    setRevision(res, handled);
    res.json(createThreadResponse('Post deleted', handled.state, number));
  });

  router.on('markHelpful', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId, number } = getPath(req);
    const authorId = requireVisiblePostAuthor(number, (await commands.load(thread, threadId)).state);
    const { accountId, registeredAt, emailVerified } = createMember(principal);
    const command = { accountId, registeredAt, emailVerified, threadId, number, authorId };
    const handled = await commands.execute(helpful, accountId, markHelpful, command, createOrigin(principal, res));
    setPosition(res, handled);
    res.json({ success: true, message: 'Marked as helpful', data: { isHelpful: true } });
  });

  router.on('unmarkHelpful', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId, number } = getPath(req);
    const { accountId, registeredAt } = principal.account;
    const command = { accountId, registeredAt, threadId, number };
    const handled = await commands.execute(helpful, accountId, unmarkHelpful, command, createOrigin(principal, res));
    setPosition(res, handled);
    const data = { isHelpful: false };
    res.json({ success: true, message: 'No longer marked as helpful', data });
  });

  return router;
}
