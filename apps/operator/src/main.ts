import { main } from '@connector/platform/host/main';
import { operator } from '@connector/services/operator/src/operator.service';

main(operator);
