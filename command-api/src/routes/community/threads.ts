import {
  newReplyFields,
  newThreadFields,
  replyToThread,
  startThread,
  thread,
  type ThreadState,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setRevision } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../../ad-input.ts';
import { admit } from './admission.ts';
import { written } from './answers.ts';
import { normalisePlaceInput } from './place-input.ts';
import { requireVisible, wordsOf } from './post-words.ts';
import { memberOf, originOf, threadIdOf, type CommunityDependencies } from './requests.ts';

/** Starting threads and replying to them. */
export function threadRoutes(deps: CommunityDependencies): Router {
  const { commands, authentication } = deps;
  const router = Router();

  router.post('/', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const { title, body, ...place } = parseInput(newThreadFields, normalisePlaceInput(bodyOf(req)));
    requireVisible('title', title);
    const words = wordsOf(body);
    const [member, origin] = [memberOf(principal), originOf(principal, res)];
    const { threadId, admissionId } = await admit(deps, { member, threadId: null, words, origin });
    const start = (state: ThreadState) =>
      startThread({ threadId, accountId: member.accountId, admissionId, place, title, words }, state);
    const handled = await commands.handle(thread, threadId, start, origin, { isNew: true });
    setRevision(res, handled);
    res
      .status(201)
      .setHeader('Location', `/api/community/threads/${threadId}`)
      .json(written('Thread started!', handled.state, 0));
  });

  router.post('/:id/replies', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const threadId = threadIdOf(req);
    const { body, quotedNumber } = parseInput(newReplyFields, bodyOf(req));
    const words = wordsOf(body);
    const [member, origin] = [memberOf(principal), originOf(principal, res)];
    const reply = (admissionId: string) => (state: ThreadState) =>
      replyToThread({ member, admissionId, words, quotedNumber }, state);
    // A reply the thread refuses costs no admission.
    reply('')((await commands.load(thread, threadId)).state);
    const { admissionId } = await admit(deps, { member, threadId, words, origin });
    const handled = await commands.handle(thread, threadId, reply(admissionId), origin);
    setRevision(res, handled);
    res.status(201).json(written('Reply posted!', handled.state, numberOf(handled.events)));
  });

  return router;
}

/** The number of the reply among these events. */
function numberOf(events: readonly { readonly data: unknown }[]): number {
  const [event] = events;
  if (!event) throw new Error('A reply that was posted is an event');
  return (event.data as { readonly number: number }).number;
}
