/** Why an application refused, as its owner keeps it; nulls where it did not. */
export interface Why {
  readonly reason: string | null;
  readonly detail: string | null;
}

/** For people, in one form wherever it is shown. */
export function whyText({ reason, detail }: Why): string | null {
  return detail === null ? reason : `${detail} (${reason})`;
}
