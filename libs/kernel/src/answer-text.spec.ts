import { answerOf, answerText } from './answer-text';

describe('answer text', () => {
  it('the same: an answer is read as it was written, 64-bit numbers included', () => {
    const answer = { kind: 'moved', epoch: 18_446_744_073_709_551_615n, list: [{ at: 0n }, 'u64', null] };
    expect(answerOf(answerText(answer))).toEqual(answer);
  });
});
