import { describe, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { releasePicture, takePictureDown } from '../../src/taken-down/decide.ts';
import type { TakenDownEvent } from '../../src/taken-down/events.ts';
import { takenDownPicture, type TakenDownState } from '../../src/taken-down/state.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(takenDownPicture);
const hash = '0f'.repeat(32);
const takenDown = (reference: string): TakenDownEvent => ({
  type: 'PictureTakenDown',
  data: { pictureId: 'm1', reference, hash },
});
const released = (reference: string): TakenDownEvent => ({
  type: 'PictureReleased',
  data: { pictureId: 'm1', reference },
});
const takingDown = (reference: string) => (state: TakenDownState, context: DecisionContext) =>
  takePictureDown({ pictureId: 'm1', hash, reference }, state, context);
const releasing = (reference: string) => (state: TakenDownState, context: DecisionContext) =>
  releasePicture({ reference }, state, context);

describe('a picture', () => {
  test('is taken down once by each case or request', () => {
    given().when(takingDown('c1')).then(takenDown('c1'));
    given(takenDown('c1')).when(takingDown('c1')).then();
    given(takenDown('c1')).when(takingDown('r1')).then(takenDown('r1'));
  });

  test('is taken down again by the same case with further digests only', () => {
    const exact = (...digests: string[]): TakenDownEvent => ({
      type: 'PictureTakenDown',
      data: { pictureId: 'm1', reference: 'c1', hash, digests },
    });
    const takingExactly =
      (...digests: string[]) =>
      (state: TakenDownState, context: DecisionContext) =>
        takePictureDown({ pictureId: 'm1', hash, reference: 'c1', digests }, state, context);
    given(takenDown('c1')).when(takingExactly('d1')).then(exact('d1'));
    given(takenDown('c1'), exact('d1')).when(takingExactly('d1')).then();
    given(exact('d1')).when(takingExactly('d1', 'd2')).then(exact('d1', 'd2'));
    given(exact('d1'), exact('d1', 'd2')).when(releasing('c1')).then(released('c1'));
    given(exact('d1'), released('c1')).when(takingExactly('d1')).then(exact('d1'));
  });

  test('is released once by each of them, and can be taken down again', () => {
    given(takenDown('c1'), takenDown('r1')).when(releasing('c1')).then(released('c1'));
    given(takenDown('c1'), takenDown('r1'), released('c1')).when(releasing('c1')).then();
    given(takenDown('c1'), takenDown('r1'), released('c1')).when(releasing('r1')).then(released('r1'));
    given(takenDown('c1'), released('c1')).when(takingDown('c1')).then(takenDown('c1'));
  });

  test('that was not taken down by a case or request is not released by it', () => {
    given().when(releasing('c1')).then();
    given(takenDown('c1')).when(releasing('r1')).then();
  });
});
