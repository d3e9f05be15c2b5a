import {
  authorOfVisiblePost,
  deletePost,
  DomainError,
  editPost,
  helpful,
  markHelpful,
  postChanges,
  postIdOf,
  thread,
  unmarkHelpful,
  type HelpfulAnswer,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition, setRevision } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../../ad-input.ts';
import { dayBefore } from './admission.ts';
import { written } from './answers.ts';
import { requireVisible, wordsOf } from './post-words.ts';
import { memberOf, originOf, postNumberOf, threadIdOf, type CommunityDependencies } from './requests.ts';

/** Changing and deleting one's own posts, and marking those of others as helpful. */
export function postRoutes({ commands, authentication, community }: CommunityDependencies): Router {
  const router = Router();

  router.put('/:id/posts/:number', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const [threadId, number, member] = [threadIdOf(req), postNumberOf(req), memberOf(principal)];
    const { title, body } = parseInput(postChanges, bodyOf(req));
    if (title !== undefined) requireVisible('title', title);
    const words = wordsOf(body);
    const postId = postIdOf(threadId, number);
    // Nobody posts something harmless first to turn it into what stands elsewhere already.
    const isDuplicate =
      words.isLong && (await community.isPosted(words.fingerprint, dayBefore(new Date().toISOString()), postId));
    const handled = await commands.handle(
      thread,
      threadId,
      (state, context) => {
        const events = editPost({ member, number, title, words }, state, context);
        if (isDuplicate) throw new DomainError('DUPLICATE_TEXT');
        return events;
      },
      originOf(principal, res),
    );
    setRevision(res, handled);
    res.json(written('Post updated', handled.state, number));
  });

  router.delete('/:id/posts/:number', async (req, res) => {
    const principal = await authentication.require(req);
    const [threadId, number] = [threadIdOf(req), postNumberOf(req)];
    const handled = await commands.handle(
      thread,
      threadId,
      (state) => deletePost(number, memberOf(principal), state),
      originOf(principal, res),
    );
    setRevision(res, handled);
    res.json(written('Post deleted', handled.state, number));
  });

  router.post('/:id/posts/:number/helpful', async (req, res) => {
    const principal = await authentication.require(req);
    const [threadId, number] = [threadIdOf(req), postNumberOf(req)];
    const authorId = authorOfVisiblePost(number, (await commands.load(thread, threadId)).state);
    const { accountId, emailVerified } = memberOf(principal);
    const handled = await commands.handle(
      helpful,
      accountId,
      (state) => markHelpful({ accountId, emailVerified, threadId, number, authorId }, state),
      originOf(principal, res),
    );
    setPosition(res, handled);
    res.json({ success: true, message: 'Marked as helpful', data: { isHelpful: true } } satisfies HelpfulAnswer);
  });

  router.delete('/:id/posts/:number/helpful', async (req, res) => {
    const principal = await authentication.require(req);
    const [threadId, number] = [threadIdOf(req), postNumberOf(req)];
    const { accountId } = principal.account;
    const handled = await commands.handle(
      helpful,
      accountId,
      (state) => unmarkHelpful({ accountId, threadId, number }, state),
      originOf(principal, res),
    );
    setPosition(res, handled);
    res.json({
      success: true,
      message: 'No longer marked as helpful',
      data: { isHelpful: false },
    } satisfies HelpfulAnswer);
  });

  return router;
}
