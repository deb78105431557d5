import 'uplot/dist/uPlot.min.css';
import './app.css';
import { mount } from 'svelte';
import StatusPage from './view/StatusPage.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: status.html has #app');
mount(StatusPage, { target });
