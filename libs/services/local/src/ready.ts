import { get } from 'node:http';

const ANSWER_MS_MAX = 1_500;

/** Whether a service says that it takes work; no answer is a no. */
export function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${url}/readyz`, { timeout: ANSWER_MS_MAX, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
