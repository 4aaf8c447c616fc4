// Messages of projects that can be written.
import { commands } from './commands';
import { comments } from './comments';
import { desk } from './desk';
import { dialogs } from './dialogs';
import { editor } from './editor';
import { files } from './files';
import { guide } from './guide';
import { history } from './history';
import { menu } from './menu';
import { notices } from './notices';
import { problems } from './problems';
import { properties } from './properties';
import { proposals } from './proposals';
import { queue } from './queue';
import { review } from './review';
import { saving } from './saving';
import { sessions } from './sessions';
import { shortcuts } from './shortcuts';
import { tabs } from './tabs';

export default { commands, comments, desk, dialogs, editor, files, guide, history, menu, notices, problems, properties, proposals, queue, review, saving, sessions, shortcuts, tabs };
