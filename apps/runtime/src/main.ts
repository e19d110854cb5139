import { main } from '@connector/platform/host/main';
import { runtime } from '@connector/services/runtime/src/runtime.service';

main(runtime);
