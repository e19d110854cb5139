import { main } from '@connector/platform/host/main';
import { control } from '@connector/services/control/src/control.service';

main(control);
