import { thread } from '@alpenglow/domain';
import { replyToThread, requireReplyableThread, startThread } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setRevision } from '@alpenglow/infra';
import { requestAdmission } from './admission.ts';
import { createOrigin } from '../../origin.ts';
import { createThreadResponse } from './thread-response.ts';
import { normalisePlaceInput } from './place-input.ts';
import { requireVisible, parsePostText } from './post-text.ts';
import { createMember, type CommunityDependencies } from './requests.ts';

/** The operations to start threads in the community and to reply to threads. */
export function threadRoutes(deps: CommunityDependencies) {
  const { commands, authentication } = deps;
  const router = createOperationRouter();

  router.on('startThread', async (req, res) => {
    const principal = await authentication.require(req);
    const { title, body, ...place } = getInput(req, normalisePlaceInput);
    requireVisible('title', title);
    const content = parsePostText(body);
    const [member, origin] = [createMember(principal), createOrigin(principal, res)];
    const { threadId, admissionId } = await requestAdmission(deps, { member, threadId: null, content, origin });
    const command = { threadId, accountId: member.accountId, admissionId, place, title, content };
    const handled = await commands.execute(thread, threadId, startThread, command, origin, { isNew: true });
    setRevision(res, handled);
    res
      .status(201)
      .setHeader('Location', `/api/community/threads/${threadId}`)
      .json(createThreadResponse('Thread started!', handled.state, 0));
  });

  router.on('replyToThread', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId } = getPath(req);
    const { body, quotedNumber } = getInput(req);
    const content = parsePostText(body);
    const [member, origin] = [createMember(principal), createOrigin(principal, res)];
    const reply = { member, content, quotedNumber };
    const checkThread = async () => {
      requireReplyableThread({ ...reply, admissionId: null }, (await commands.load(thread, threadId)).state);
    };
    const { admissionId } = await requestAdmission(deps, { member, threadId, content, origin, checkThread });
    const handled = await commands.execute(thread, threadId, replyToThread, { ...reply, admissionId }, origin);
    setRevision(res, handled);
    res.status(201).json(createThreadResponse('Reply posted!', handled.state, replyNumberOf(handled.events)));
  });

  return router;
}

/** Returns the number of the reply that these events add to the thread. */
function replyNumberOf(events: readonly { readonly data: unknown }[]): number {
  const [event] = events;
  if (!event) throw new Error('The reply has no event');
  return (event.data as { readonly number: number }).number;
}
