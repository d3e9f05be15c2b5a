-- A rebuild that was swapped in and then reverted has its own state.
alter table rm.rebuilds drop constraint rebuilds_state_check;
alter table rm.rebuilds add constraint rebuilds_state_check check (state in ('running', 'paused', 'checking', 'ready', 'swapping', 'swapped', 'reverted', 'cancelled', 'failed'));
