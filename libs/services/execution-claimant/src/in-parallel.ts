/** Runs `one` over all items, at most `max` at a time; answers in order. The first rejection is thrown when nothing runs any more. */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  max: number,
  one: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Promise<Answer>[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next; at < items.length; at = next) {
      next += 1;
      const answer = one(items[at] as Item);
      answers[at] = answer;
      await answer.catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, work));
  return Promise.all(answers);
}
