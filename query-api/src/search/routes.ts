import { waitForPosition, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';
import { askedOf, sendAnswer } from '../send-answer.ts';
import type { SearchAnswers } from './search-answers.ts';

/** `GET /search`: everything there is to read, by kind. */
export function searchRoutes({
  answers,
  progress,
}: {
  readonly answers: SearchAnswers;
  readonly progress: ReadModelProgress;
}): Router {
  const router = Router();
  router.get(
    '/',
    waitForPosition(progress, ['community_threads', 'community_posts', 'articles', 'ad_cards', 'ad_details']),
    (req, res) => sendAnswer(req, res, answers.search(askedOf(req))),
  );
  return router;
}
