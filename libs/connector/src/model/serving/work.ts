/** The stages that keep a work row per account (decisions 3.8). */
export const WORK_STAGES = ['materialize', 'execution', 'result', 'effect', 'finalize', 'halt'] as const;
export type WorkStage = (typeof WORK_STAGES)[number];
/** The key of the singleton row of `con_service`. */
export const SERVICE_KEY = 'connector';
